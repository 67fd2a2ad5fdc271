import type { Intent } from '../../../jobs/requests/intent.ts';
import type { Viewer } from '../../../jobs/shown/lists.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { recipesView } from '../../views/recipes.ts';
import { cannotStopView, type Running, stillWorkingView } from '../../views/thread/not-for-agent.ts';
import type { ListenerDeps } from '../deps.ts';
import { recipesFor } from '../recipes/run.ts';
import { namesIn, show } from '../requests/in-time.ts';
import { linkTo } from '../requests/private-answers.ts';
import { helpAnswer } from './help.ts';
import { listAnswer, statusAnswer } from './status.ts';

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
  const [job] = await deps.store.transaction((tx) => tx.lists.openOf(teamId, userId, 1));
  if (job === undefined) return null;
  return { job, permalink: linkTo(deps, job), names: await namesIn(deps, [job.prompt]) };
}
