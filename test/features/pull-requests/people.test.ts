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
    /** Slack's ids, by name. @param before what the last look found */
    look: async (
      names: readonly string[],
      before: Readonly<Record<string, string | null | undefined>> = {},
    ) => {
      const linked = (name: string, userId?: string | null) => {
        return { name, url: null, ...(userId !== undefined && { userId }) };
      };
      const known = Object.entries(before).map(([name, userId]) => linked(name, userId));
      const found = await look(
        'T1',
        LINK,
        names.map((name) => linked(name)),
        known,
      );
      return Object.fromEntries(found.map(({ name, userId }) => [name, userId]));
    },
  };
}

describe('reviewers in Slack (P5)', () => {
  test('are not looked for where the file says that names are enough', async () => {
    const at = lookingForPeople({});
    expect(await at.look(['bob'])).toEqual({ bob: undefined });
    expect(at.asked).toEqual([]);
  });

  test('are accounts: a team has no profile', async () => {
    const at = lookingForPeople();
    expect(await at.look(['team bob', 'renovate[bot]'])).toEqual({
      'team bob': undefined,
      'renovate[bot]': undefined,
    });
    expect(at.asked).toEqual([]);
  });

  test.each([
    ['a code host', { email: LATER }],
    ['Slack', { slackFails: true }],
  ])('are asked for once more if %s does not answer, then named', async (_, failing) => {
    const at = lookingForPeople();
    const { email, slackFails } = at.world;
    Object.assign(at.world, failing);
    expect(await at.look(['Bob'])).toEqual({ Bob: null });
    expect(await at.look(['Bob'], { Bob: null })).toEqual({ Bob: undefined });
    Object.assign(at.world, { email, slackFails });
    expect(await at.look(['Bob'], { Bob: null })).toEqual({ Bob: 'U1' });
  });

  test('are named if they show no address', async () => {
    const at = lookingForPeople();
    at.world.email = null;
    expect(await at.look(['eve'])).toEqual({ eve: undefined });
    at.world.email = { outcome: 'no_access', reason: 'not_allowed' };
    expect(await at.look(['mallory'])).toEqual({ mallory: undefined });
    await at.look(['eve', 'mallory'], { eve: undefined, mallory: undefined });
    expect(at.asked).toEqual(['eve', 'mallory']);
  });
});
