import { type AgentJob, type EndedStatus, isEnded } from '../agent-job.ts';
import type { Job } from '../job.ts';
import type { Draft } from './draft.ts';

/** Notes what the API says of the job. Returns whether any of it is new. */
export function noteFacts(draft: Draft, agentJob: AgentJob): boolean {
  const before = draft.job.agentJob;
  const isSame =
    before !== null &&
    before.status === agentJob.status &&
    before.prLink === agentJob.prLink &&
    before.ref === agentJob.ref &&
    before.model === agentJob.model &&
    before.repository === agentJob.repository;
  draft.change({ agentJob });
  if (!isSame) draft.refreshCard();
  return !isSame;
}

/** A link that the thread has not been told of, or null. */
function newLink({ announcedPrLink }: Job, { prLink }: AgentJob): string | null {
  return prLink === announcedPrLink ? null : prLink;
}

export function tellRunning(draft: Draft, status: string): void {
  const { job } = draft;
  const { told } = job;
  if (told?.status === status) return;
  draft.change({ told: { status, turn: job.turn } });
  if (status !== 'active') draft.announce({ kind: 'other_status', status });
  else if (told === null || told.turn !== job.turn || !isEnded(told.status))
    draft.announce({ kind: 'started', turn: job.turn });
  else if (!hasReplyThatMayExplain(draft)) draft.announce({ kind: 'continued' });
}

/** One that is on its way, or of unknown fate, or sent again after that, may be what the agent works on. */
function hasReplyThatMayExplain(draft: Draft): boolean {
  return (['waiting', 'sending', 'unknown'] as const).some((state) => draft.followUpsIn(state).length > 0);
}

/** `previousPrLink`: the link before the turn. */
export function tellEnded(
  draft: Draft,
  agentJob: AgentJob,
  status: EndedStatus,
  previousPrLink: string | null,
): void {
  const { told, turn } = draft.job;
  if (told?.status === status && told.turn === turn) return;
  draft.change({ told: { status, turn } });
  switch (status) {
    case 'completed': {
      const isNews = newLink(draft.job, agentJob) !== null || agentJob.prLink !== previousPrLink;
      const files = agentJob.prLink === null ? 'none' : isNews ? 'new' : 'same';
      draft.announce({ kind: 'finished', files });
      break;
    }
    case 'failed':
      draft.announce({ kind: 'failed' });
      break;
    case 'archived':
      draft.announce({ kind: 'archived' });
      break;
  }
}

/** A link that the thread has not been told of is announced, there and in the notice channels. */
export function tellLink(draft: Draft, agentJob: AgentJob): void {
  const { job, context } = draft;
  const url = newLink(job, agentJob);
  if (url === null) return;
  draft.change({ announcedPrLink: url });
  draft.announce({ kind: 'pull_request', url, changed: job.announcedPrLink !== null });
  for (const channelId of context.policy.noticeChannels) {
    const lane = { to: 'slack', name: `notice:${job.id}:${channelId}` } as const;
    draft.want(`notice:${job.teamId}:${channelId}:${url}`, lane, { kind: 'notify_channel', channelId, url });
  }
  draft.refreshCard();
}

/** Told once per channel, however many notices it refuses. */
export function noticeRefused(draft: Draft, channelId: string, reason: string): void {
  draft.want(`notice_failed:${draft.job.id}:${channelId}`, draft.threadLane, {
    kind: 'announce',
    announcement: { kind: 'notice_failed', channelId, reason },
  });
}
