import { type AgentJob, type EndedStatus, isEnded } from '../agent-job.ts';
import type { NewLink } from '../announcement.ts';
import type { JobEvent } from '../event.ts';
import { authorsOf, type FollowUp } from '../follow-ups/follow-up.ts';
import type { Job, TurnNews, TurnReplies } from '../job.ts';
import { pullRequestKey } from '../pull-requests/link.ts';
import { isWaitOn } from '../schedule/schedule.ts';
import type { DecisionBuilder } from './decision-builder.ts';

/** Keeps the known spelling: agents spell one URL in several ways. */
export function withKnownLink(event: JobEvent, { job, context }: DecisionBuilder): JobEvent {
  const agentJob = 'agentJob' in event ? event.agentJob : null;
  if (agentJob === null) return event;
  const { prLink } = agentJob;
  const before = job.agentJob?.prLink ?? null;
  const known = [...toldLinks(job), before].filter((link) => link !== null);
  if (prLink === null || known.includes(prLink)) return event;
  const { sites } = context.policy.pullRequests;
  const key = pullRequestKey(prLink, sites);
  const spelling = known.findLast((url) => pullRequestKey(url, sites) === key);
  if (spelling === undefined) return event;
  return { ...event, agentJob: { ...agentJob, prLink: spelling } } as JobEvent;
}

const FACTS = ['status', 'prLink', 'ref', 'model', 'repository', 'summary', 'reason', 'can'] as const;

export function recordFacts(builder: DecisionBuilder, agentJob: AgentJob): void {
  const { agentJob: before } = builder.job;
  const hasChanged = FACTS.some((fact) => String(before?.[fact]) !== String(agentJob[fact]));
  replaceAgentJob(builder, agentJob);
  if (hasChanged) builder.refreshCard();
}

/** Announces a link before it disappears. */
export function replaceAgentJob(builder: DecisionBuilder, agentJob: AgentJob | null): void {
  const before = builder.job.agentJob;
  if (before !== null && isEnded(before.status) && before.prLink !== agentJob?.prLink) {
    announceLink(builder, before);
  }
  if (agentJob === null) builder.change({ agentJob });
  else {
    const { activity: _, ...facts } = agentJob;
    builder.change({ agentJob: facts });
  }
}

export function newLink(job: Job, { prLink: url }: AgentJob): NewLink | null {
  if (url === null || toldLinks(job).includes(url)) return null;
  return { url, is: job.announcedPrLink === null ? 'first' : 'another' };
}

export function announceRunning(builder: DecisionBuilder, status: string): void {
  const { turn, lastAnnounced: last, cardTs, threadTs, posts } = builder.job;
  if (status !== 'active' || last?.status === status) return;
  builder.change({ lastAnnounced: { status, turn } });
  if (last === null && (cardTs === threadTs || posts > 0)) builder.announce({ kind: 'started' });
  // Receipts show later turns.
  if (last?.turn === turn) announceReturn(builder, last.status);
}

function announceReturn(builder: DecisionBuilder, lastStatus: string) {
  const kind = lastStatus === 'vanished' ? 'started' : 'continued';
  const isExplained = builder.followUpsIn('waiting', 'sending', 'unknown').length > 0;
  if (kind === 'continued' && (!isEnded(lastStatus) || isExplained)) return;
  const { nowMs: returnedAtMs } = builder;
  const { returns, returnedAtMs: lastMs } = turnNewsOf(builder.job);
  const quietMs = returns === 0 ? 0 : RETURN_TOLD_AGAIN_AFTER_MS * 2 ** (returns - 1);
  if (isWaitOn(lastMs + quietMs, quietMs, returnedAtMs)) return;
  changeNews(builder, { statuses: [], returns: returns + 1, returnedAtMs });
  const { stage } = builder.job;
  if (stage.kind === 'working') builder.change({ stage: { ...stage, endBefore: undefined } });
  builder.announce({ kind });
}

export function announceEnd(
  builder: DecisionBuilder,
  agentJob: AgentJob,
  status: EndedStatus,
  lastedMs: number | null,
): void {
  const link = newLink(builder.job, agentJob);
  if (!noteStatus(builder, status)) {
    announceLink(builder, agentJob);
    return;
  }
  const { failures: before = 0, announcedPrLink, turnReplies, stage } = builder.job;
  const failures = status === 'failed' ? before + 1 : 0;
  if (failures !== before) builder.change({ failures });
  if (stage.kind === 'ended' && stage.stoppedBy !== undefined) {
    builder.announce({
      kind: 'stopped',
      userId: stage.stoppedBy,
      link: agentJob.prLink ?? announcedPrLink,
      undelivered: undeliveredIn(builder),
    });
  } else if (status === 'completed') {
    const { prLink: url, ref: branch, summary } = agentJob;
    const replies = uncountedReplies(builder.job);
    builder.announce({
      kind: 'turn_ended',
      link: link ?? (url === null ? null : { url, is: 'same' }),
      branch,
      lastedMs,
      // The turn may still take its last replies.
      replies: stage.kind === 'ended' ? replies : { ...replies, count: 0 },
      words: summary,
      undelivered: undeliveredIn(builder),
    });
    if (turnReplies && stage.kind === 'ended')
      builder.change({ turnReplies: { ...turnReplies, areTold: true } });
  } else {
    builder.announce({
      kind: status,
      ...(failures > 1 && { inARow: failures }),
      reason: status === 'failed' ? agentJob.reason : undefined,
      ...(link !== null && { link, authors: turnReplies?.authors ?? [] }),
    });
  }
  if (link !== null) linkAnnounced(builder, link.url);
  else if (agentJob.prLink !== null) {
    noteLink(builder, agentJob.prLink);
    builder.watchLink(agentJob.prLink);
  }
}

/** Null: unknown. Undefined: not stopped. */
export function stoppedBy({ job }: DecisionBuilder, agentJob: AgentJob): string | null | undefined {
  if (agentJob.status !== 'completed' || job.stage.kind !== 'working') return undefined;
  const { stopBy: by } = job.stage;
  const hasResult = agentJob.summary !== undefined || newLink(job, agentJob) !== null;
  const isSaid = agentJob.reason !== undefined || (by !== undefined && !hasResult);
  return isSaid ? (by ?? null) : undefined;
}

function undeliveredIn(builder: DecisionBuilder): TurnReplies | null {
  const undelivered = builder.undelivered();
  return undelivered.length === 0 ? null : { count: undelivered.length, authors: authorsOf(undelivered) };
}

export function uncountedReplies({ turnReplies }: Job): TurnReplies {
  const { count, authors, areTold } = turnReplies ?? { count: 0, authors: [] };
  return { count: areTold === true ? 0 : count, authors };
}

export function countReplies(builder: DecisionBuilder, taken: readonly FollowUp[]): void {
  const { job } = builder;
  const { count, authors } = job.stage.kind === 'ended' ? { count: 0, authors: [] } : uncountedReplies(job);
  const allAuthors = [...new Set([...authors, ...authorsOf(taken)])];
  builder.change({ turnReplies: { count: count + taken.length, authors: allAuthors } });
}

export function announceLink(builder: DecisionBuilder, agentJob: AgentJob): void {
  const link = newLink(builder.job, agentJob);
  if (link === null) return;
  const authors = builder.job.turnReplies?.authors ?? [];
  builder.announce({ kind: 'pull_request', link, branch: agentJob.ref, authors });
  linkAnnounced(builder, link.url);
}

function linkAnnounced(builder: DecisionBuilder, url: string) {
  const { job, policy } = builder;
  const { noticeChannels, pullRequests } = policy;
  noteLink(builder, url);
  builder.change({ prLinkTurn: job.turn });
  for (const channelId of noticeChannels) {
    const key = `notice:${job.teamId}:${channelId}:${pullRequestKey(url, pullRequests.sites)}`;
    builder.addCall(key, { kind: 'notify_channel', channelId, url });
  }
  builder.watchLink(url);
  builder.refreshCard();
}

/** Doubles with each announcement. */
const RETURN_TOLD_AGAIN_AFTER_MS = 600_000;

const MAX_LINKS = 50;

export function turnNewsOf({ turn, turnNews }: Job): TurnNews {
  if (turnNews?.turn === turn) return turnNews;
  return { turn, statuses: [], links: [], returns: 0, returnedAtMs: 0 };
}

/** Returns whether it is news. */
export function noteStatus(builder: DecisionBuilder, status: string): boolean {
  const { statuses } = turnNewsOf(builder.job);
  builder.change({ lastAnnounced: { status, turn: builder.job.turn } });
  if (statuses.includes(status)) return false;
  changeNews(builder, { statuses: [...statuses, status] });
  return true;
}

function toldLinks(job: Job) {
  return [...turnNewsOf(job).links, job.announcedPrLink].filter((link) => link !== null);
}

function noteLink(builder: DecisionBuilder, url: string) {
  const { links } = turnNewsOf(builder.job);
  builder.change({ announcedPrLink: url });
  changeNews(builder, { links: [...new Set([...links, url])].slice(-MAX_LINKS) });
}

/** A later end is news again. */
export function noteActive(builder: DecisionBuilder): void {
  builder.change({ lastAnnounced: { status: 'active', turn: builder.job.turn } });
  changeNews(builder, { statuses: [] });
}

function changeNews(builder: DecisionBuilder, news: Partial<TurnNews>) {
  builder.change({ turnNews: { ...turnNewsOf(builder.job), ...news } });
}
