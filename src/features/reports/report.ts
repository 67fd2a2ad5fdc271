import { announcedLink, ends, type Fate, meaningOf } from '#jobs/announcement.ts';
import type { PastCall } from '#jobs/follow-ups/turns.ts';
import type { Job } from '#jobs/job.ts';
import { type CodeHostSite, pullRequestKey } from '#jobs/pull-requests/link.ts';
import { jobStandingOf, lastPullRequestOf } from '#jobs/pull-requests/standing.ts';

/** Printed as is. */
export type Report = MadeReport['report'];

export type LeftToDo = MadeReport['leftToDo'];

export type MadeReport = ReturnType<ReturnType<typeof createTally>['report']>;

export const WAITING_MAX = 5;

export type Period = Readonly<{
  sinceMs: number;
  untilMs: number;
}>;

type CountedCall = Pick<PastCall, 'request' | 'createdAtMs'>;

export type CountedJob = Readonly<{
  job: Job;
  /** Creates and announcements. */
  calls: readonly CountedCall[];
  /** Since the period began. */
  unclearReplies: number;
}>;

/** A job older than the period counts only restarts within it. */
export function createTally({ sinceMs, untilMs }: Period, sites: readonly CodeHostSite[]) {
  const bySource = zeros(sources);
  const fates = zeros<Fate>([...ends, 'open', 'unclear']);
  /** `unknown`: no code host reported. */
  const pullRequests = zeros(['open', 'merged', 'closed', 'unknown']);
  const toPullRequestMs: number[] = [];
  let replies = 0;
  let lastUnclear: Pick<Job, 'channelId' | 'threadTs'> | null = null;
  const waiting = new Map<string, { readonly url: string; readonly sinceMs: number }>();
  const keyOf = (url: string) => pullRequestKey(url, sites);

  return {
    add(counted: CountedJob): void {
      const { job, unclearReplies } = counted;
      const starts = startsOf(counted).filter(({ atMs }) => atMs >= sinceMs && atMs < untilMs);
      const [first] = starts;
      if (first === undefined) return;
      for (const { source, fate } of starts) {
        bySource[source] += 1;
        fates[fate] += 1;
      }
      replies += unclearReplies;
      const announced = starts.flatMap((start) => start.calls.flatMap(linkIn));
      const byKey = new Map<string, keyof typeof pullRequests>(
        announced.map(({ url }) => [keyOf(url), 'unknown']),
      );
      for (const { url, facts } of job.pullRequests ?? []) {
        const { state } = facts;
        if (state !== undefined && byKey.has(keyOf(url)))
          byKey.set(keyOf(url), state === 'draft' ? 'open' : state);
      }
      for (const fate of byKey.values()) pullRequests[fate] += 1;
      const [link] = announced;
      if (link !== undefined) toPullRequestMs.push(link.atMs - first.atMs);
      if (job.stage.kind === 'create_unknown') lastUnclear = job;
      const seen = lastPullRequestOf(job);
      if (seen !== null && jobStandingOf(job) === 'waiting_for_review') {
        const { url, facts, seenAtMs } = seen;
        waiting.set(keyOf(url), { url, sinceMs: facts.openedAtMs ?? seenAtMs });
      }
    },
    /** @param budget of the project with the busiest hour */
    report(budget: { readonly peak_per_hour: number; readonly limit: number }) {
      const { open, unclear, ...ended } = fates;
      const report = {
        since: new Date(sinceMs).toISOString(),
        until: new Date(untilMs).toISOString(),
        starts: {
          total: Object.values(bySource).reduce((sum, count) => sum + count, 0),
          by_source: bySource,
        },
        // Each start is in one of the next three.
        ends: ended,
        unclear: { starts: unclear, replies },
        open,
        pull_requests: pullRequests,
        seconds_to_pull_request: {
          median: quantile(toPullRequestMs, 0.5),
          p90: quantile(toPullRequestMs, 0.9),
        },
        budget,
      };
      const oldestFirst = [...waiting.values()].sort((one, other) => one.sinceMs - other.sinceMs);
      // One more than are named.
      const waitingForReview = oldestFirst.slice(0, WAITING_MAX + 1);
      return { report, leftToDo: { unclear: lastUnclear, waitingForReview } };
    },
  };
}

function linkIn({ request, createdAtMs: atMs }: CountedCall) {
  const url = request.kind === 'announce' ? announcedLink(request.announcement) : null;
  return url === null ? [] : [{ url, atMs }];
}

function zeros<Name extends string>(names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}

/** In seconds, by nearest rank; null: none. */
export function quantile(durationsMs: readonly number[], share: number): number | null {
  const seconds = durationsMs.map((ms) => Math.max(0, Math.round(ms / 1000))).sort((a, b) => a - b);
  return seconds[Math.max(1, Math.ceil(share * seconds.length)) - 1] ?? null;
}

function startsOf({ job, calls }: CountedJob) {
  const last = job.watchedAgentJobId === null ? fateOf(job) : null;
  if (last === null) return [];
  const creates = calls.flatMap(({ request }, index) => (request.kind === 'create_job' ? [index] : []));
  return [0, ...creates.slice(1)].map((begin, index, all) => {
    const own = calls.slice(begin, all[index + 1]);
    return {
      source: index === 0 ? job.origin.kind : ('again' as const),
      atMs: (index === 0 ? undefined : own[0]?.createdAtMs) ?? job.requestedAtMs,
      // A reply that finds the job gone recreates it silently.
      fate: index === all.length - 1 ? last : (own.flatMap(fateIn).at(-1) ?? ('gone' as const)),
      calls: own,
    };
  });
}

/** The latest start's; null: none. */
export function fateOf({ stage, agentJob, creates }: Job): Fate | null {
  switch (stage.kind) {
    case 'awaiting_confirmation':
    case 'draft':
    case 'card_failed':
      return null;
    case 'dropped':
      // The agent may have it.
      return creates > 0 ? 'unclear' : null;
    case 'opening':
    case 'creating':
    case 'working':
      return 'open';
    case 'create_unknown':
      return 'unclear';
    case 'rejected':
      return 'refused';
    case 'ended':
      if (stage.status === 'completed') return agentJob?.prLink ? 'pull_request' : 'done';
      return stage.status === 'vanished' ? 'gone' : stage.status;
  }
}

function fateIn({ request }: CountedCall): Fate[] {
  if (request.kind !== 'announce') return [];
  const fate = meaningOf(request.announcement).fate?.(request.announcement);
  return fate === undefined ? [] : [fate];
}

/** `again`: see `startingAgain`. */
export const sources = [
  'command',
  'form',
  'mention',
  'direct_message',
  'shortcut',
  'home',
  'reaction',
  'workflow',
  'schedule',
  'webhook',
  'again',
] as const;

export const startingAgain = ['start_again', 'edit_and_start'] as const;
