import { intentOf } from '../../../jobs/requests/intent.ts';
import { sanitize } from '../../protocol/slack-text.ts';
import { questionView } from '../../views/forms/question.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { refusalView } from '../../views/refusals.ts';
import type { CommandArgs, ListenerDeps } from '../deps.ts';
import { compose } from '../forms/compose.ts';
import { settings } from '../forms/settings.ts';
import { run } from '../recipes/run.ts';
import { storeRequest } from '../requests/in-time.ts';
import { answer, linkTo } from '../requests/private-answers.ts';
import { type Outcome, startJob } from '../requests/start-job.ts';
import { doctorAnswer, report } from './doctor.ts';
import { answerInWords } from './in-words.ts';
import { watch } from './watch.ts';

/** `/docs-agent …`: finds out which command it is. */
export function command(deps: ListenerDeps) {
  return async (args: CommandArgs): Promise<void> => {
    const text = sanitize(args.command.text ?? '');
    const intent = intentOf(text);
    const command = intent.kind === 'command' ? intent.command : null;
    const { user_id: userId, channel_id: channelId } = args.command;
    const sight = { teamId: deps.teamId, userId, channelId };
    switch (command?.kind) {
      case 'compose':
        return compose(deps, args);
      case 'doctor':
        return answer(args, await doctorAnswer(deps, sight));
      case 'report':
        return report(deps, args);
      case 'settings':
        return settings(deps, args);
      case 'run':
        // Without recipes, this is a request like any other.
        return deps.recipesOf(deps.teamId).length === 0
          ? ask(deps, args, text)
          : run(deps, args, command.name);
      case 'watch':
        return watch(deps, args, command);
      default: {
        const said = await answerInWords(deps, sight, intent);
        return said === null ? ask(deps, args, text.trim()) : answer(args, said);
      }
    }
  };
}

/** Stores a prompt before it acknowledges it, or answers privately. */
async function ask(deps: ListenerDeps, args: CommandArgs, text: string): Promise<void> {
  const { command } = args;
  const stored = await storeRequest(deps, {
    write: () =>
      startJob(deps, {
        keys: command.trigger_id ? [`trigger:${deps.teamId}:${command.trigger_id}`] : [],
        teamId: deps.teamId,
        channelId: command.channel_id,
        requesterId: command.user_id,
        origin: { kind: 'command' },
        text,
        project: null,
        responseUrl: command.response_url || null,
        thread: null,
        isAnswered: true,
        mayBeSlip: true,
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
    case 'asked':
      return questionView(outcome.question, linkTo(deps, outcome.question.sameAs));
  }
}
