import { z } from 'zod';
import type { LinkedName } from '#jobs/pull-requests/pull-request.ts';
import { user } from '#slack/protocol/ids.ts';
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

/** Adds Slack's ids where they can be found. `before`: what the last look found. */
export type People = (
  teamId: string,
  url: string,
  reviewers: readonly LinkedName[],
  before: readonly LinkedName[],
) => Promise<readonly LinkedName[]>;

/** No team, and no bot. */
const ACCOUNT = /^[\w.-]+$/;

export function peopleBy({ featureSettingsOf, workspaces, log }: FeatureTools, codeHosts: CodeHosts): People {
  const byEmail = async (teamId: string, url: string, login: string) => {
    const email = await codeHosts.emailOf(url, login);
    if (typeof email === 'string') return (await workspaces.of(teamId)).names.byEmail(email);
    if (email?.outcome === 'later') throw new Error(email.reason);
    return null;
  };
  return async (teamId, url, reviewers, before) => {
    const given = peopleIn(featureSettingsOf(teamId));
    const look = async (reviewer: LinkedName): Promise<LinkedName> => {
      const login = reviewer.name.toLowerCase();
      const known = before.find(({ name }) => name.toLowerCase() === login);
      if (known !== undefined && known.userId !== null) return known;
      const userId = given?.get(login);
      if (userId !== undefined) return { ...reviewer, userId };
      // `people: {}`: names are enough.
      if (given?.size === 0 || !ACCOUNT.test(login)) return reviewer;
      try {
        const found = await byEmail(teamId, url, login);
        return found === null ? reviewer : { ...reviewer, userId: found };
      } catch (error) {
        log.warn('reviewer_not_found', { error });
        return known === undefined ? { ...reviewer, userId: null } : reviewer;
      }
    };
    return Promise.all(reviewers.map(look));
  };
}
