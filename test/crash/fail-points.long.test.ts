import { describe, expect, test } from 'vitest';
import { describeWithLocalSlack } from '../support/local-slack.ts';
import { testServerUrl } from '../support/postgres.ts';
import { shareOf } from '../support/share.ts';
import type { Kill } from './support/lives.ts';
import { perform, type StoreKind } from './support/perform.ts';
import { type FailPoint, failPoints, rareCommits } from './support/points.ts';

/** Where the databases can differ: all that the program does when it was not killed before. */
const postgresPoints = failPoints.filter(({ kind, crashed }) => kind === 'commit' && crashed === null);

/** Those in which everything happens without a kill, too. */
const uncrashed = [...new Set(failPoints.flatMap(({ story, crashed }) => (crashed === null ? [story] : [])))];

describeWithLocalSlack('without a kill', () => {
  for (const story of shareOf(uncrashed)) {
    test.concurrent(`all that the program does is a fail point: ${story}`, async () => {
      const { problems, done } = await perform(story, 'SQLite', []);
      expect(problems).toEqual([]);
      expect(unlisted(done)).toEqual([]);
    });
  }
});

describeWithLocalSlack('on SQLite', () => killedAt(failPoints, 'SQLite'));

describe.skipIf(testServerUrl === undefined)('with a database server', () => {
  describeWithLocalSlack('on Postgres', () => killedAt(postgresPoints, 'Postgres'));
});

/** By the second create call, the process knows that the service recognises a repeated one. */
const keyedCreate: readonly Kill[] = [
  { at: 'start create_job', when: 'after', nth: 2 },
  { at: 'POST job', when: 'before', nth: 2 },
  { at: 'POST job', when: 'after', nth: 2 },
  { at: 'done create_job → started', when: 'before', nth: 2 },
];

for (const store of testServerUrl === undefined ? (['SQLite'] as const) : (['SQLite', 'Postgres'] as const)) {
  describeWithLocalSlack(`on ${store}, where the service knows repeated calls`, () => {
    test.concurrent.each(keyedCreate)('killed $when "$at" of a create call', async (kill) => {
      const { problems, unknown } = await perform('stopped', store, [kill]);
      expect(problems).toEqual([]);
      expect(unknown).toEqual([]);
    });
  });
}

function killedAt(points: readonly FailPoint[], store: StoreKind): void {
  for (const { point, kills } of shareOf(points.flatMap(plays))) {
    test.concurrent(titleOf(point, kills), async () => {
      const { story, crashed } = point;
      const { problems, done } = await perform(story, store, crashed ? [crashed, ...kills] : kills);
      expect(problems).toEqual([]);
      if (crashed) expect(unlisted(done)).toEqual([]);
    });
  }
}

/** One process dies before it, the next one after it; or each in a play of its own. */
function plays(point: FailPoint): { readonly point: FailPoint; readonly kills: Kill[] }[] {
  const { at, isPassing } = point;
  const before: Kill = { at, when: 'before', nth: 1 };
  const after: Kill = { at, when: 'after', nth: 1 };
  return (isPassing ? [[before], [after]] : [[before, after]]).map((kills) => ({ point, kills }));
}

function titleOf({ at, kind, crashed }: FailPoint, kills: readonly Kill[]): string {
  const moments = kills.map(({ when }) => when).join(' and ');
  const then = crashed === null ? '' : `, after a kill ${crashed.when} "${crashed.at}"`;
  return `killed ${moments} the ${kind} of "${at}", and restarted${then}`;
}

/** Commits and calls at which no test kills the program. */
function unlisted(done: readonly string[]): string[] {
  const listed = new Set([...failPoints.map(({ at }) => at), ...rareCommits]);
  return [...new Set(done)].filter((name) => !listed.has(name));
}
