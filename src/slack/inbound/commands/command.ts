import { type Intent, intentOf } from '../../../jobs/requests/intent.ts';
import type { Viewer } from '../../../jobs/shown/lists.ts';
import { sanitize } from '../../protocol/slack-text.ts';
import { questionView } from '../../views/forms/question.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { recipesView } from '../../views/recipes.ts';
import { refusalView } from '../../views/refusals.ts';
import { cannotStopView, type Running, stillWorkingView } from '../../views/thread/not-for-agent.ts';
import type { CommandArgs, ListenerDeps } from '../deps.ts';
import { compose } from '../forms/compose.ts';
import { settings } from '../forms/settings.ts';
import { recipesFor, run } from '../recipes/run.ts';
import { answer, linkTo, namesIn, show, storeRequest } from '../requests/door.ts';
import { type Outcome, startJob } from '../requests/start-job.ts';
import { doctorAnswer, report } from './doctor.ts';
import { helpAnswer } from './help.ts';
import { listAnswer, statusAnswer } from './status.ts';
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

/** The answer to words that are not a request. Null: they are one, or need a question. */
export async function answerInWords(
  deps: ListenerDeps,
  sight: Viewer,
  intent: Intent,
): Promise<SlackMessage | null> {
  switch (intent.kind) {
    case 'stop':
      return show(deps, async () => cannotStopView(await running(deps, sight)));
    case 'progress':
      return show(deps, async () => stillWorkingView(await running(deps, sight), deps.clock.now()));
    case 'small_talk':
      return helpAnswer(deps, sight.userId);
    case 'details':
      return listAnswer(deps, sight);
    case 'no_such_job':
      return statusAnswer(deps, sight, intent.word);
    case 'command':
      return commandAnswer(deps, sight, intent.command);
    default:
      return null;
  }
}

async function commandAnswer(
  deps: ListenerDeps,
  sight: Viewer,
  command: Extract<Intent, { kind: 'command' }>['command'],
): Promise<SlackMessage | null> {
  switch (command.kind) {
    case 'help':
      return helpAnswer(deps, sight.userId);
    case 'list':
      return listAnswer(deps, sight);
    case 'status':
      return statusAnswer(deps, sight, command.id);
    case 'recipes':
      return recipesView(await recipesFor(deps, sight.userId));
    default:
      return null;
  }
}

async function running(deps: ListenerDeps, { teamId, userId }: Viewer): Promise<Running | null> {
  const [job] = await deps.store.transaction((tx) => tx.lists.newestOf(teamId, userId, 'open', 1));
  if (job === undefined) return null;
  return { job, permalink: linkTo(deps, job), names: await namesIn(deps, [job.prompt]) };
}
