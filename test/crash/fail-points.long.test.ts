import { expect, test } from 'vitest';
import { describeWithLocalSlack } from '../support/local-slack.ts';
import { testServerUrl } from '../support/postgres.ts';
import { shareOf } from '../support/share.ts';
import type { Kill } from './support/lives.ts';
import { perform, type StoreKind } from './support/perform.ts';
import { failPoints, rareCommits } from './support/points.ts';
import type { StoryName } from './support/stories.ts';

interface Play {
  readonly title: string;
  readonly story: StoryName;
  readonly store: StoreKind;
  readonly kills: readonly Kill[];
  /** The outcome of every call must be known. */
  readonly isCertain?: boolean;
  /** Everything that the program does must be a fail point. */
  readonly isListed?: boolean;
}

const STORES: readonly StoreKind[] = ['SQLite', 'Postgres'];

const withoutKill = failPoints.flatMap(({ story, crashed }) => (crashed === null ? [story] : []));

/** One process dies before the point, the next one after it; or each in a play of its own. */
const atPoints = failPoints.flatMap(({ at, kind, story, crashed, isPassing }): Play[] => {
  const before: Kill = { at, when: 'before', nth: 1 };
  const after: Kill = { at, when: 'after', nth: 1 };
  const then = crashed === null ? '' : `, after a kill ${crashed.when} "${crashed.at}"`;
  // Where the databases can differ: all that the program does when it was not killed before.
  const stores = STORES.filter((store) => store === 'SQLite' || (kind === 'commit' && crashed === null));
  return (isPassing ? [[before], [after]] : [[before, after]]).flatMap((kills) =>
    stores.map((store) => ({
      title: `killed ${kills.map(({ when }) => when).join(' and ')} the ${kind} of "${at}", and restarted${then}`,
      ...{ story, store, kills: crashed ? [crashed, ...kills] : kills, isListed: crashed !== null },
    })),
  );
});

/** By the second create call, the process knows that the service recognises a repeated one. */
const atKeyedCreates: readonly Kill[] = [
  { at: 'start create_job', when: 'after', nth: 2 },
  { at: 'POST job', when: 'before', nth: 2 },
  { at: 'POST job', when: 'after', nth: 2 },
  { at: 'done create_job → started', when: 'before', nth: 2 },
];

const plays: readonly Play[] = [
  ...[...new Set(withoutKill)].map((story): Play => {
    const title = `all that the program does is a fail point: ${story}`;
    return { title, story, store: 'SQLite', kills: [], isListed: true };
  }),
  ...atPoints,
  ...atKeyedCreates.flatMap((kill) =>
    STORES.map((store): Play => {
      const title = `killed ${kill.when} "${kill.at}" of a create call that the service would recognise if repeated`;
      return { title, story: 'stopped', store, kills: [kill], isCertain: true };
    }),
  ),
];

describeWithLocalSlack('whatever kills the program', () => {
  for (const { title, story, store, kills, isCertain, isListed } of shareOf(plays)) {
    const isMissing = store === 'Postgres' && testServerUrl === undefined;
    (isMissing ? test.skip : test.concurrent)(`on ${store}, ${title}`, async () => {
      const { problems, unknown, done } = await perform(story, store, kills);
      expect(problems).toEqual([]);
      if (isCertain) expect(unknown).toEqual([]);
      if (isListed) expect(unlisted(done)).toEqual([]);
    });
  }
});

/** Commits and calls at which no test kills the program. */
function unlisted(done: readonly string[]): string[] {
  const listed = new Set([...failPoints.map(({ at }) => at), ...rareCommits]);
  return [...new Set(done)].filter((name) => !listed.has(name));
}
