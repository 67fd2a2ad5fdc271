import { announcedLink, type End, ends } from '../announcement.ts';
import type { PastCall } from '../follow-ups/turns.ts';
import type { Job } from '../job.ts';
import { type CodeHostSite, PUBLIC_SITES, pullRequestKey } from '../pull-requests/link.ts';
import { jobStandingOf, lastPullRequestOf } from '../pull-requests/standing.ts';
import type { Schedule } from '../schedule/moments.ts';
import { type Source, sources, startsOf } from './starts.ts';

/** The outcomes so far of a period's starts. Each is in `ends`, `unclear.starts` or `open`. Printed as is. */
export type Report = Readonly<{
  since: string;
  until: string;
  starts: { readonly total: number; readonly by_source: Readonly<Record<Source, number>> };
  ends: Readonly<Record<End, number>>;
  unclear: { readonly starts: number; readonly replies: number };
  open: number;
  pull_requests: Readonly<Record<PullRequestFate, number>>;
  /** From the request to the first pull request; null: there is none. */
  seconds_to_pull_request: { readonly median: number | null; readonly p90: number | null };
  /** Of the project with the most calls in any hour of the period. */
  budget: { readonly peak_per_hour: number; readonly limit: number };
}>;

/** What is left to do about it, shown in Slack beside the counts. */
export type LeftToDo = Readonly<{
  /** The latest start of unknown fate; null: there is none. */
  unclear: Pick<Job, 'channelId' | 'threadTs'> | null;
  /** Pull requests waiting for a review, the oldest first; one more than are named, if there are more. */
  waitingForReview: readonly { readonly url: string; readonly sinceMs: number }[];
}>;

export type MadeReport = Readonly<{
  report: Report;
  leftToDo: LeftToDo;
}>;

/** More are not named. */
export const WAITING_MAX = 5;

export type Period = Readonly<{
  sinceMs: number;
  untilMs: number;
}>;

/** `unknown`: no code host said. */
type PullRequestFate = 'open' | 'merged' | 'closed' | 'unknown';

export type CountedJob = Readonly<{
  job: Job;
  /** Its creates and announcements in order, if it was created several times or has a pull request. */
  calls: readonly PastCall[];
  /** The period's replies of unknown fate. */
  unclearReplies: number;
}>;

/** Adds up a report, job by job. For a job older than the period, only restarts within it count. */
export class Tally {
  private readonly period: Period;
  private readonly sites: readonly CodeHostSite[];
  private readonly bySource = zeros(sources);
  private readonly ends = zeros(ends);
  private readonly pullRequests = zeros(['open', 'merged', 'closed', 'unknown']);
  private readonly toPullRequestMs: number[] = [];
  private starts = 0;
  private open = 0;
  private unclearStarts = 0;
  private unclearReplies = 0;
  private unclear: Job | null = null;
  private waiting: LeftToDo['waitingForReview'] = [];

  /** @param sites for recognising pull requests by any of their URLs */
  constructor(period: Period, sites: readonly CodeHostSite[] = PUBLIC_SITES) {
    this.period = period;
    this.sites = sites;
  }

  add({ job, calls, unclearReplies }: CountedJob): void {
    const { sinceMs, untilMs } = this.period;
    const starts = startsOf(job, calls).filter(({ atMs }) => atMs >= sinceMs && atMs < untilMs);
    const [first] = starts;
    if (first === undefined) return;
    for (const { source, fate } of starts) {
      this.starts += 1;
      this.bySource[source] += 1;
      if (fate === 'open') this.open += 1;
      else if (fate === 'unclear') this.unclearStarts += 1;
      else this.ends[fate] += 1;
    }
    this.unclearReplies += unclearReplies;
    const announced = starts.flatMap((start) => start.calls.flatMap(linkIn));
    for (const fate of this.fatesOf(job, announced)) this.pullRequests[fate] += 1;
    const [link] = announced;
    if (link !== undefined) this.toPullRequestMs.push(link.atMs - first.atMs);
    if (job.stage.kind === 'create_unknown') this.unclear = job;
    this.addWaiting(job);
  }

  private addWaiting(job: Job): void {
    const seen = lastPullRequestOf(job);
    if (seen === null || jobStandingOf(job) !== 'waiting_for_review') return;
    const { url, facts, seenAtMs } = seen;
    const others = this.waiting.filter((one) => this.keyOf(one.url) !== this.keyOf(url));
    this.waiting = [...others, { url, sinceMs: facts.openedAtMs ?? seenAtMs }]
      .sort((one, other) => one.sinceMs - other.sinceMs)
      .slice(0, WAITING_MAX + 1);
  }

  /** Of each pull request once, as its code host last described it. */
  private fatesOf({ pullRequests = [] }: Job, announced: readonly { readonly url: string }[]) {
    const byKey = new Map<string, PullRequestFate>(announced.map(({ url }) => [this.keyOf(url), 'unknown']));
    for (const { url, facts } of pullRequests) {
      const key = this.keyOf(url);
      if (facts.state !== undefined && byKey.has(key))
        byKey.set(key, facts.state === 'draft' ? 'open' : facts.state);
    }
    return byKey.values();
  }

  private keyOf(url: string): string {
    return pullRequestKey(url, this.sites);
  }

  leftToDo(): LeftToDo {
    return { unclear: this.unclear, waitingForReview: this.waiting };
  }

  report(budget: Report['budget']): Report {
    return {
      since: new Date(this.period.sinceMs).toISOString(),
      until: new Date(this.period.untilMs).toISOString(),
      starts: { total: this.starts, by_source: this.bySource },
      ends: this.ends,
      unclear: { starts: this.unclearStarts, replies: this.unclearReplies },
      open: this.open,
      pull_requests: this.pullRequests,
      seconds_to_pull_request: {
        median: quantile(this.toPullRequestMs, 0.5),
        p90: quantile(this.toPullRequestMs, 0.9),
      },
      budget,
    };
  }
}

function linkIn({ request, createdAtMs: atMs }: PastCall) {
  const url = request.kind === 'announce' ? announcedLink(request.announcement) : null;
  return url === null ? [] : [{ url, atMs }];
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}

/** The shortest duration, in whole seconds, that this share of all does not exceed; null if there are none. */
export function quantile(durationsMs: readonly number[], share: number): number | null {
  const seconds = durationsMs.map((ms) => Math.max(0, Math.round(ms / 1000))).sort((a, b) => a - b);
  return seconds[Math.max(1, Math.ceil(share * seconds.length)) - 1] ?? null;
}

const HOUR_MS = 3_600_000;

/** The most calls in any hour, whenever it begins. */
export class HourlyPeak {
  calls = 0;
  private readonly lastHour: number[] = [];

  /** @param atMs in ascending order */
  add(atMs: number): void {
    this.lastHour.push(atMs);
    while ((this.lastHour[0] ?? atMs) <= atMs - HOUR_MS) this.lastHour.shift();
    this.calls = Math.max(this.calls, this.lastHour.length);
  }
}

/** The name of its schedule, which no recipe can have. */
export const DIGEST = '(digest)';

export type Digest = Readonly<{
  channelId: string;
  schedule: Schedule;
}>;
