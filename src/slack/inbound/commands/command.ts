import { parseCommand } from '../../../jobs/command.ts';
import { sanitize } from '../../protocol/sanitize.ts';
import { askedBeforeView } from '../../views/forms/asked-before.ts';
import { helpView } from '../../views/help.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { refusalView } from '../../views/refusals.ts';
import type { CommandArgs, ListenerDeps } from '../deps.ts';
import { compose } from '../forms/compose.ts';
import { settings } from '../forms/settings.ts';
import { answer, linkTo } from '../requests/replies.ts';
import { type Outcome, startJob } from '../requests/start-job.ts';
import { storeRequest } from '../requests/store-request.ts';
import { list } from './list.ts';
import { status } from './status.ts';
import { watch } from './watch.ts';

/** `/docs-agent …`: which command it is, and so whose work. */
export function command(deps: ListenerDeps) {
  return async (args: CommandArgs): Promise<void> => {
    const parsed = parseCommand(sanitize(args.command.text ?? ''));
    switch (parsed.kind) {
      case 'prompt':
        return ask(deps, args, parsed.text);
      case 'help':
        return answer(args, helpView());
      case 'compose':
        return compose(deps, args);
      case 'list':
        return list(deps, args);
      case 'status':
        return status(deps, args, parsed.id);
      case 'settings':
        return settings(deps, args);
      case 'watch':
        return watch(deps, args, parsed);
    }
  };
}

/** A prompt behind the command: it is stored, and only then acknowledged, or it is answered privately. */
async function ask(deps: ListenerDeps, args: CommandArgs, text: string): Promise<void> {
  const { command } = args;
  const stored = await storeRequest(deps, {
    write: () =>
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
  });
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
