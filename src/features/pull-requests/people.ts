import { z } from 'zod';
import { user } from '#slack/protocol/ids.ts';
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

export function peopleIn(given: object): ReadonlyMap<string, string> | undefined {
  return settings.parse(given).people;
}

/** `found`: Slack's ids, by login in lower case. `later`: nobody could say. */
export type People = (
  teamId: string,
  url: string,
  logins: readonly string[],
) => Promise<{ readonly found: ReadonlyMap<string, string>; readonly later: readonly string[] }>;

const FRESH_MS = 3_600_000;
/** No team, and no bot. */
const ACCOUNT = /^[\w.-]+$/;

export function peopleBy(tools: FeatureTools, codeHosts: CodeHosts): People {
  const { featureSettingsOf, workspaces, clock, log } = tools;
  const byEmail = cachedLookup(
    async (_key, teamId: string, url: string, login: string): Promise<string | null> => {
      const email = await codeHosts.emailOf(url, login);
      if (typeof email === 'string') return (await workspaces.of(teamId)).names.byEmail(email);
      if (email?.outcome === 'later') throw new Error(email.reason);
      return null;
    },
    clock,
    { freshMs: FRESH_MS },
  );
  return async (teamId, url, logins) => {
    const given = peopleIn(featureSettingsOf(teamId));
    const found = new Map(given);
    const later: string[] = [];
    const unknown = logins.filter((login) => ACCOUNT.test(login) && !found.has(login.toLowerCase()));
    const look = async (name: string) => {
      const login = name.toLowerCase();
      const key = JSON.stringify([teamId, URL.parse(url)?.host, login]);
      try {
        const id = await byEmail.get(key, teamId, url, login);
        if (id !== null) found.set(login, id);
      } catch (error) {
        log.warn('reviewer_not_found', { error });
        later.push(name);
      }
    };
    // `people: {}`: names are enough.
    if (given?.size !== 0) await Promise.all(unknown.map(look));
    return { found, later };
  };
}
