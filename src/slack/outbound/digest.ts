import type { Digest } from '../../jobs/report/digest.ts';
import type { Report } from '../../jobs/report/report.ts';
import { lastMoment, nextMoment } from '../../jobs/schedule/moments.ts';
import type { ClaimedTask, Store } from '../../store/store.ts';
import { reportView } from '../views/report.ts';
import { TOO_MANY_MESSAGES } from '../workspace/poster.ts';
import { failureOf, sureAtMs } from './refresh/refresh.ts';
import { isHopeless, type SlackTools, slackRetryMs } from './slack-tools.ts';

/** Its schedule is followed as those of recipes are, none of which can have this name. */
const NAME = '(digest)';
/** A post without an answer may reach Slack so much later. */
const ARRIVES_WITHIN_MS = 20_000;
/** A replica whose settings are still the old ones, with another digest or none, may have the task in hand. */
const LONGEST_WAIT_MS = 3_600_000;

/** Null: the settings have none for the workspace. */
export type DigestOf = (teamId: string) => Digest | null;

export interface DigestTools extends SlackTools {
  readonly digestOf: DigestOf;
  readonly reportOf: (teamId: string, projectIds: readonly string[]) => Promise<Report>;
}

/** At the start: plans the next moment of each workspace's digest; one that has passed meanwhile is posted at once. */
export async function planDigests(
  { store, digestOf }: { readonly store: Store; readonly digestOf: DigestOf },
  teamIds: readonly string[],
  nowMs: number,
): Promise<void> {
  for (const teamId of teamIds) {
    const digest = digestOf(teamId);
    if (digest === null) continue;
    await store.transaction(async (tx) => {
      const servedUntilMs = await tx.recipes.follow({ teamId, name: NAME }, digest.schedule, nowMs);
      const runAtMs = nextMoment(digest.schedule, servedUntilMs);
      if (runAtMs === null) return;
      await tx.tasks.schedule({ kind: 'post_digest', subject: teamId, runAtMs, ifScheduled: 'replace' });
    });
  }
}

/** A moment of the digest's schedule has come: of several that have passed, the last one counts. */
export async function postDigest(tools: DigestTools, task: ClaimedTask): Promise<void> {
  const { store, clock } = tools;
  const { subject: teamId, lease } = task;
  const digest = tools.digestOf(teamId);
  const nowMs = clock.now();
  const nextMs = (digest && nextMoment(digest.schedule, nowMs)) ?? Number.POSITIVE_INFINITY;
  const againAtMs = Math.min(nextMs, nowMs + LONGEST_WAIT_MS);
  if (digest === null) return store.transaction((tx) => tx.tasks.repeat(lease, againAtMs));
  const key = { teamId, name: NAME };
  const runs = await store.transaction((tx) => tx.recipes.get(key));
  const momentMs = lastMoment(digest.schedule, nowMs);
  const isDue = momentMs !== null && momentMs > (runs?.servedUntilMs ?? nowMs);
  const sureFromMs = sureAtMs(tools, task);
  if (isDue && nowMs < sureFromMs) return store.transaction((tx) => tx.tasks.delayUntil(lease, sureFromMs));
  const failure = isDue ? await post(tools, task, digest.channelId, momentMs) : null;
  await store.transaction(async (tx) => {
    // In a channel with thousands of messages since then, it would be looked for again and again.
    const isUnfindable = failure?.code === TOO_MANY_MESSAGES;
    if (failure !== null && !isUnfindable && !isHopeless(task, failure)) {
      const waitMs = Math.max(slackRetryMs(task, failure), ARRIVES_WITHIN_MS);
      return tx.tasks.retryAt(lease, clock.now() + waitMs);
    }
    if (isDue) {
      await tx.recipes.put(key, { ...(await tx.recipes.lock(key, nowMs)), servedUntilMs: momentMs });
    }
    await tx.tasks.repeat(lease, againAtMs);
  });
}

/** Looks first: it may be there, if an earlier attempt broke off. */
function post(
  tools: DigestTools,
  { subject: teamId, lease }: ClaimedTask,
  channelId: string,
  momentMs: number,
) {
  const { store, clock, log, newContext, workspaces, reportOf } = tools;
  const place = { channelId, threadTs: null, callId: `digest:${teamId}:${momentMs}` };
  return failureOf(
    async () => {
      const { poster } = await workspaces.of(teamId);
      if ((await poster.find(place, momentMs, clock.now())) !== null) return;
      const projectIds = newContext()
        .rulesOf(teamId)
        .projects.map(({ id }) => id);
      const message = reportView(await reportOf(teamId, projectIds));
      await store.transaction(async (tx) => {
        // It may have slept since the look, and another replica have posted.
        await tx.tasks.fence(lease);
        // Whoever has the task next, if this process stops in the middle, looks only then.
        await tx.tasks.markUnknown(lease, clock.now() + ARRIVES_WITHIN_MS);
      });
      await poster.post({ ...place, message });
    },
    (reason) => log.error('digest_not_posted', { team_id: teamId, channel_id: channelId, reason }),
  );
}
