import { type Intent, intentOf } from '../../../jobs/requests/intent.ts';
import type { Viewer } from '../../../jobs/shown/lists.ts';
import { sanitize } from '../../protocol/slack-text.ts';
import { questionView } from '../../views/forms/question.ts';
import { allHelpModal, helpView } from '../../views/help.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { recipesView } from '../../views/recipes.ts';
import { refusalView } from '../../views/refusals.ts';
import { cannotStopView, type Running, stillWorkingView } from '../../views/thread/not-for-agent.ts';
import { compose } from '../forms/compose.ts';
import { settings } from '../forms/settings.ts';
import type { Command, ListenerDeps, Press } from '../listener.ts';
import { recipesFor, run } from '../recipes/run.ts';
import { linkTo, namesIn, openForm, show } from '../requests/door.ts';
import { startFrom } from '../requests/start-job.ts';
import { doctorAnswer, report } from './doctor.ts';
import { listAnswer, statusAnswer } from './status.ts';
import { watch } from './watch.ts';

export async function takeCommand(deps: ListenerDeps, made: Command): Promise<void> {
  const text = sanitize(made.text);
  const intent = intentOf(text);
  const command = intent.kind === 'command' ? intent.command : null;
  const { userId, channelId } = made;
  const sight = { teamId: deps.teamId, userId, channelId };
  switch (command?.kind) {
    case 'compose':
      return compose(deps, made);
    case 'doctor':
      return made.tell(await doctorAnswer(deps, sight));
    case 'report':
      return report(deps, made);
    case 'settings':
      return settings(deps, made);
    case 'run':
      // Without recipes, this is a request like any other.
      return deps.recipesOf(deps.teamId).length === 0 ? ask(deps, made, text) : run(deps, made, command.name);
    case 'watch':
      return watch(deps, made, command);
    default: {
      const said = await answerInWords(deps, sight, intent);
      return said === null ? ask(deps, made, text.trim()) : made.tell(said);
    }
  }
}

/** Stores a prompt before it acknowledges it, or answers privately. */
async function ask(deps: ListenerDeps, command: Command, text: string): Promise<void> {
  const { channelId } = command;
  const origin = { kind: 'command' } as const;
  const stored = await startFrom(deps, command, { channelId, origin, text, mayBeSlip: true });
  if ('problem' in stored) return command.tell(stored.problem);
  const { result: outcome } = stored;
  switch (outcome.kind) {
    case 'stored':
      // The card is the answer.
      return command.ack();
    case 'refused':
      return command.tell(refusalView(outcome.refusal));
    case 'asked':
      return command.tell(questionView(outcome.question, linkTo(deps, outcome.question.sameAs)));
  }
}

/** The answer to words that are not a request. Null: they are one, or need a question. */
export async function answerInWords(
  deps: ListenerDeps,
  sight: Viewer,
  intent: Intent,
): Promise<SlackMessage | null> {
  const asked = intent.kind === 'command' ? intent.command : intent;
  switch (asked.kind) {
    case 'stop':
      return show(deps, async () => cannotStopView(await running(deps, sight)));
    case 'progress':
      return show(deps, async () => stillWorkingView(await running(deps, sight), deps.clock.now()));
    case 'help':
    case 'small_talk':
      return helpAnswer(deps, sight.userId);
    case 'list':
    case 'details':
      return listAnswer(deps, sight);
    case 'status':
      return statusAnswer(deps, sight, asked.id);
    case 'no_such_job':
      return statusAnswer(deps, sight, asked.word);
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

/** How to use the bot, with a recipe that this person may run as an example. */
export async function helpAnswer(deps: ListenerDeps, userId: string): Promise<SlackMessage> {
  return helpView(await recipeFor(deps, userId));
}

/** *Show help*, beside a question, which stays open. */
export async function showHelp(deps: ListenerDeps, press: Press): Promise<void> {
  await press.ack();
  await press.tellBeside(await helpAnswer(deps, press.userId));
}

/** *Everything I can do*, below the help. */
export async function showAllHelp(deps: ListenerDeps, press: Press): Promise<void> {
  await press.ack();
  await openForm(deps, press.triggerId, allHelpModal(await recipeFor(deps, press.userId)));
}

async function recipeFor(deps: ListenerDeps, userId: string): Promise<string | null> {
  const [first] = await recipesFor(deps, userId);
  return first?.name ?? null;
}
