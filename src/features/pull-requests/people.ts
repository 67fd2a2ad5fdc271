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

/** Slack's ids of those who are known, by login in lower case. */
export type People = (
  teamId: string,
  url: string,
  logins: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

const FRESH_MS = 3_600_000;

export function peopleBy(tools: FeatureTools, codeHosts: CodeHosts): People {
  const { featureSettingsOf, workspaces, clock, log } = tools;
  const byEmail = cachedLookup(
    async (key: string): Promise<string | null> => {
      const [teamId = '', url = '', login = ''] = JSON.parse(key) as readonly string[];
      const email = await codeHosts.emailOf(url, login);
      return typeof email === 'string' ? (await workspaces.of(teamId)).names.byEmail(email) : null;
    },
    clock,
    { freshMs: FRESH_MS },
  );
  return async (teamId, url, logins) => {
    const people = new Map(peopleIn(featureSettingsOf(teamId)));
    const unknown = logins.map((login) => login.toLowerCase()).filter((login) => !people.has(login));
    const looked = unknown.map(async (login) => {
      const id = await byEmail.get(JSON.stringify([teamId, url, login])).catch((error: unknown) => {
        log.warn('reviewer_not_found', { error });
        return null;
      });
      if (id !== null) people.set(login, id);
    });
    await Promise.all(looked);
    return people;
  };
}
