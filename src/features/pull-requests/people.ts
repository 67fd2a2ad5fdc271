import { z } from 'zod';
import { user } from '#slack/protocol/ids.ts';
import type { Scope } from '#slack/protocol/scopes.ts';
import { cachedLookup } from '#slack/workspace/names.ts';
import type { FeatureTools } from '../feature.ts';
import type { CodeHosts } from './code-hosts.ts';

export const peopleSettings = {
  /** Reviewers in Slack, by login. Others are found by their e-mail addresses. */
  people: z
    .record(z.string(), user)
    .transform((given) => new Map(Object.entries(given).map(([login, id]) => [login.toLowerCase(), id])))
    .optional(),
};

const settings = z.object({ people: z.map(z.string(), z.string()).optional() });

const EMAIL_SCOPE: Scope = {
  name: 'users:read.email',
  without: 'only reviewers whom `people` names are mentioned',
  isOptional: true,
};

export function scopesOfPeople(given: object): readonly Scope[] {
  return settings.parse(given).people === undefined ? [] : [EMAIL_SCOPE];
}

/** Slack's ids of those who are known, by login in lower case. */
export type People = (
  teamId: string,
  url: string,
  logins: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

const FRESH_MS = 3_600_000;
const WITHIN_MS = 5_000;

export function peopleBy(tools: FeatureTools, codeHosts: CodeHosts): People {
  const { featureSettingsOf, workspaces, clock, log } = tools;
  const found = cachedLookup(
    async (key: string): Promise<string | null> => {
      const [teamId = '', url = '', login = ''] = JSON.parse(key) as readonly string[];
      const email = await codeHosts.emailOf(url, login);
      return email && (await workspaces.of(teamId)).names.byEmail(email);
    },
    clock,
    { freshMs: FRESH_MS },
  );
  return async (teamId, url, logins) => {
    const { people } = settings.parse(featureSettingsOf(teamId));
    if (people === undefined) return new Map();
    const ids = logins.map(async (given): Promise<readonly [string, string | null]> => {
      const login = given.toLowerCase();
      const named = people.get(login);
      if (named !== undefined) return [login, named];
      const looked = found.get(JSON.stringify([teamId, url, login])).catch((error: unknown) => {
        log.warn('reviewer_not_found', { error });
        return null;
      });
      return [login, await clock.timeout(WITHIN_MS, looked, null)];
    });
    const known = (await Promise.all(ids)).flatMap(([login, id]) =>
      id === null ? [] : [[login, id] as const],
    );
    return new Map(known);
  };
}
