import { describe, expect, test } from 'vitest';
import type { CodeHosts } from '../../../src/features/pull-requests/code-hosts.ts';
import { peopleBy } from '../../../src/features/pull-requests/people.ts';
import { createTestClock } from '../../support/test-clock.ts';
import { type LoggedEvent, logInto, START_MS } from './hosts.ts';

const LINK = 'https://github.com/acme/docs/pull/14';
const LATER = { outcome: 'later', reason: 'rate_limited', waitMs: 1 } as const;

type Email = Awaited<ReturnType<CodeHosts['emailOf']>>;

/** Everybody with an e-mail address is U1 in Slack. */
function lookingForPeople(people?: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const world = { email: 'bob@acme.example' as Email, slackFails: false };
  const logged: LoggedEvent[] = [];
  const byEmail = async () => {
    if (world.slackFails) throw new Error('ratelimited');
    return 'U1';
  };
  const tools = {
    featureSettingsOf: () => (people === undefined ? {} : { people: new Map(Object.entries(people)) }),
    workspaces: { of: async () => ({ names: { byEmail } }) },
    ...{ clock: createTestClock(START_MS), log: logInto(logged) },
  };
  const emailOf = async (_url: string, login: string) => {
    asked.push(login);
    return world.email;
  };
  const look = peopleBy(tools as never, { emailOf } as never);
  return {
    ...{ asked, world, logged },
    look: async (logins: readonly string[], url = LINK) => {
      const { found, later } = await look('T1', url, logins);
      return { found: Object.fromEntries(found), later };
    },
  };
}

describe('reviewers in Slack (P5)', () => {
  test('are found by the file, else by their profiles, which are read once for a host', async () => {
    const at = lookingForPeople({ octocat: 'U0CAT' });
    const found = { octocat: 'U0CAT', bob: 'U1' };
    expect(await at.look(['Octocat', 'Bob'])).toEqual({ found, later: [] });
    expect(await at.look(['bob'], 'https://github.com/acme/api/pull/1')).toEqual({ found, later: [] });
    expect(at.asked).toEqual(['bob']);
    await at.look(['bob'], 'https://git.acme.example/acme/api/pull/1');
    expect(at.asked).toEqual(['bob', 'bob']);
  });

  test('are not looked for where the file says that names are enough', async () => {
    const at = lookingForPeople({});
    expect(await at.look(['bob'])).toEqual({ found: {}, later: [] });
    expect(at.asked).toEqual([]);
  });

  test('are accounts: a team has no profile', async () => {
    const at = lookingForPeople();
    expect(await at.look(['team bob', 'renovate[bot]'])).toEqual({ found: {}, later: [] });
    expect(at.asked).toEqual([]);
  });

  test.each([
    ['a code host', { email: LATER }],
    ['Slack', { slackFails: true }],
  ])('are asked for again if %s does not answer, but not if they show no address', async (_, failing) => {
    const at = lookingForPeople();
    const { email, slackFails } = at.world;
    Object.assign(at.world, failing);
    expect(await at.look(['Bob'])).toEqual({ found: {}, later: ['Bob'] });
    Object.assign(at.world, { email, slackFails });
    expect(await at.look(['Bob'])).toEqual({ found: { bob: 'U1' }, later: [] });
    at.world.email = null;
    expect(await at.look(['eve'])).toEqual({ found: {}, later: [] });
    at.world.email = { outcome: 'no_access', reason: 'not_allowed' };
    expect(await at.look(['mallory'])).toEqual({ found: {}, later: [] });
    const asked = at.asked.length;
    await at.look(['eve', 'mallory']);
    expect(at.asked.length).toBe(asked);
  });
});
