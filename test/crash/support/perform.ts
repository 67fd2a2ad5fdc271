import { openStore } from '../../../src/store/open.ts';
import type { ChildEnv } from '../../support/child-program.ts';
import { createTestDatabase, testServerUrl } from '../../support/postgres.ts';
import { type Kill, startLives } from './lives.ts';
import { startOutside } from './outside.ts';
import { problemsOf } from './problems.ts';
import { answerQuestions } from './questions.ts';
import { createStage, type Stage } from './stage.ts';
import { readPostgres, readSqlite } from './store-reader.ts';
import type { Story } from './stories/local.ts';
import type { StrictStory } from './stories/strict.ts';
import { type StoryName, stories } from './stories.ts';
import { createStrictPeople } from './strict-people.ts';
import { startStrictServer } from './strict-server.ts';

export type StoreKind = 'SQLite' | 'Postgres';

export interface Performance {
  /** What was lost or doubled. */
  readonly problems: readonly string[];
  /** The create and message calls of unknown fate that a person made again. */
  readonly unknown: readonly string[];
  /** The names of the commits and outward calls of all processes. */
  readonly done: readonly string[];
}

/**
 * Plays the story to its end with the real program, whose first process dies by the first kill, and so on; fails if a
 * kill is never reached.
 */
export async function perform(
  name: StoryName,
  store: StoreKind,
  kills: readonly Kill[],
): Promise<Performance> {
  const story = stories[name];
  await using resources = new AsyncDisposableStack();
  const database = store === 'Postgres' ? await createTestDatabase(testServerUrl ?? '') : null;
  resources.defer(() => database?.drop());
  const settings = { ...story.settings, ...(database && { DATABASE_URL: database.url }) };
  const { outside, playAt } = await setting(story, settings);
  resources.use(outside);
  const reader = database === null ? readSqlite(outside.dataDir) : readPostgres(database);
  if ('prepare' in story) {
    const before = await openStore(
      database === null ? { dataDir: outside.dataDir } : { databaseUrl: database.url },
    );
    await story.prepare(before);
    await before.close();
  }
  const lives = resources.use(await startLives(outside, reader, kills));
  const stage = createStage(outside, lives, reader);
  const answersItself = 'answersQuestions' in story;
  const answers = answersItself ? null : resources.use(answerQuestions(outside, stage));
  const expected = await playAt(stage);
  await stage.killed();
  await stage.idle();
  await answers?.[Symbol.asyncDispose]();
  // If nothing was left to do, it may still be on its way.
  await lives.up();
  await lives.stop();
  const unknown = await reader.query("select id, kind from call where state = 'unknown'");
  const unsent = await reader.query("select text from follow_up where state in ('not_sent', 'unknown')");
  const wrongly = unknown.filter(({ id }) => !lives.doubtful.includes(String(id)));
  return {
    problems: [
      ...(await problemsOf(expected, outside)),
      ...(await outside.brokenAtRest(expected.threads.flatMap(({ replies }) => replies))),
      ...unsent.map(({ text }) => `a reply was not sent: ${text}`),
      ...wrongly.map(({ kind }) => `a ${kind} was called unknown without need`),
    ],
    unknown: unknown.map(({ kind }) => String(kind)),
    done: lives.done(),
  };
}

/** The world outside that the story needs, and how it is played there. */
async function setting(story: Story | StrictStory, settings: ChildEnv) {
  if ('play' in story) {
    const outside = await startOutside(settings, undefined, story.announces);
    return { outside, playAt: (stage: Stage) => story.play(stage) };
  }
  const slack = await startStrictServer();
  const outside = await startOutside(settings, async () => slack);
  const people = (stage: Stage) => createStrictPeople(outside, slack.control, stage.lives);
  return { outside, playAt: (stage: Stage) => story.playStrictly(stage, people(stage)) };
}
