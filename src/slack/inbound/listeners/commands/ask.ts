import { askedBeforeView } from '../../../views/forms/asked-before.ts';
import type { SlackMessage } from '../../../views/parts/message.ts';
import { refusalView } from '../../../views/refusals.ts';
import type { ListenerDeps } from '../deps.ts';
import { linkTo } from '../link-to.ts';
import { type Outcome, startJob } from '../start-job.ts';
import { storeGesture } from '../store-gesture.ts';
import { answer, type CommandArgs } from './answer.ts';

/** A prompt behind the command: it is stored, and only then acknowledged, or it is answered privately. */
export async function ask(deps: ListenerDeps, args: CommandArgs, text: string): Promise<void> {
  const { command } = args;
  const stored = await storeGesture(deps, () =>
    startJob(deps, {
      keys: command.trigger_id ? [`trigger:${deps.teamId}:${command.trigger_id}`] : [],
      teamId: deps.teamId,
      channelId: command.channel_id,
      requesterId: command.user_id,
      text,
      project: null,
      responseUrl: command.response_url || null,
      thread: null,
      isAnswered: true,
    }),
  );
  const message = 'problem' in stored ? stored.problem : answerTo(deps, stored.result);
  await (message === null ? args.ack() : answer(args, message));
}

/** Null: the card is the answer. */
function answerTo(deps: ListenerDeps, outcome: Outcome): SlackMessage | null {
  switch (outcome.kind) {
    case 'stored':
      return null;
    case 'refused':
      return refusalView(outcome.refusal);
    case 'asked_before':
      return askedBeforeView(outcome.question, linkTo(deps, outcome.question.sameAs));
  }
}
