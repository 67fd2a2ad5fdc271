import { type AgentJob, type EndedStatus, isEnded } from '../agent-job.ts';
import type { Announcement } from '../announcement.ts';
import { authorsOf, type FollowUp } from '../follow-ups/follow-up.ts';
import type { Job, TurnNews, TurnReplies } from '../job.ts';
import { pullRequestKey } from '../pull-requests/link.ts';
import { isWaitOn } from '../schedule/schedule.ts';
import type { DecisionBuilder } from './decision-builder.ts';

/** The answer with the URL by which the job knows its pull request: agents spell one in several ways. */
export function asKnown<T extends AgentJob | null>({ job, context }: DecisionBuilder, answer: T): T {
  const prLink = answer?.prLink ?? null;
  const before = job.agentJob?.prLink ?? null;
  if (prLink === null || prLink === before) return answer;
  const known = before === null ? toldLinks(job) : [...toldLinks(job), before];
  if (known.includes(prLink)) return answer;
  const { sites } = context.policy.pullRequests;
  const key = pullRequestKey(prLink, sites);
  const spelling = known.findLast((url) => pullRequestKey(url, sites) === key);
  return spelling === undefined ? answer : { ...answer, prLink: spelling };
}

const FACTS = ['status', 'prLink', 'ref', 'model', 'repository'] as const;

/** Records what the API says of the job. Returns whether any of it is new. */
export function recordFacts(builder: DecisionBuilder, agentJob: AgentJob): boolean {
  const before = builder.job.agentJob;
  const isSame = FACTS.every((fact) => before?.[fact] === agentJob[fact]);
  replaceAgentJob(builder, agentJob);
  if (!isSame) builder.refreshCard();
  return !isSame;
}

/** A link that waited for the end of its turn is announced before it is out of sight. */
export function replaceAgentJob(builder: DecisionBuilder, agentJob: AgentJob | null): void {
  const before = builder.job.agentJob;
  if (before !== null && isEnded(before.status) && before.prLink !== agentJob?.prLink) {
    announceLink(builder, before);
  }
  builder.change({ agentJob });
}

/** A link that the thread knows neither from this turn nor from the one before. */
function newLink(job: Job, { prLink }: AgentJob): string | null {
  return prLink === null || toldLinks(job).includes(prLink) ? null : prLink;
}

export function announceRunning(builder: DecisionBuilder, status: string): void {
  const { turn, lastAnnounced: last, cardTs, threadTs, posts } = builder.job;
  // Only the card shows an unknown status.
  if (status !== 'active' || last?.status === status) return;
  builder.change({ lastAnnounced: { status, turn } });
  // A card in the thread itself says enough, with nothing posted since.
  if (last === null && (cardTs === threadTs || posts > 0)) builder.announce({ kind: 'started' });
  // The replies' receipts and the card show that a later turn runs.
  if (last?.turn === turn) announceReturn(builder, last.status);
}

function announceReturn(builder: DecisionBuilder, lastStatus: string): void {
  // The job was only missing: the thread called it gone and offers to start it again.
  const kind = lastStatus === 'vanished' ? 'started' : 'continued';
  // A reply in flight, of unknown fate, or sent again, may be what the agent works on.
  const isExplained = builder.followUpsIn('waiting', 'sending', 'unknown').length > 0;
  if (kind === 'continued' && (!isEnded(lastStatus) || isExplained)) return;
  if (!isReturnNews(builder)) return;
  const { stage } = builder.job;
  if (stage.kind === 'working') {
    // The next end is a different one.
    const { endBefore: _flickered, ...working } = stage;
    builder.change({ stage: working });
  }
  builder.announce({ kind });
}

/** The turn is over: one message tells everything about it. `lastedMs`: null if unknown. */
export function announceEnd(
  builder: DecisionBuilder,
  agentJob: AgentJob,
  status: EndedStatus,
  lastedMs: number | null,
): void {
  const prLink = newLink(builder.job, agentJob);
  const isNews = noteStatus(builder, status);
  builder.change({ lastAnnounced: { status, turn: builder.job.turn } });
  if (!isNews) {
    announceLink(builder, agentJob);
    return;
  }
  const { failures: before = 0, announcedPrLink, turnReplies } = builder.job;
  const failures = status === 'failed' ? before + 1 : 0;
  if (failures !== before) builder.change({ failures });
  if (status === 'completed') {
    builder.announce(turnEnded(builder, agentJob, lastedMs));
    if (turnReplies && isOver(builder)) builder.change({ turnReplies: { ...turnReplies, areTold: true } });
  } else {
    builder.announce({
      kind: status,
      ...(failures > 1 && { inARow: failures }),
      ...(prLink !== null && { prLink, authors: turnReplies?.authors ?? [] }),
      ...(prLink !== null && announcedPrLink !== null && { isAnother: true }),
    });
  }
  if (prLink !== null) linkAnnounced(builder, prLink);
  // The turn may have changed it.
  else if (agentJob.prLink !== null) {
    noteLink(builder, agentJob.prLink);
    builder.watchPullRequest(agentJob.prLink);
  }
}

/**
 * The turn may be over: a new pull request is announced at once. A failure waits, with its link, since it
 * asks for a decision.
 */
export function announceLikelyEnd(builder: DecisionBuilder, agentJob: AgentJob, status: EndedStatus): void {
  if (status === 'completed' && newLink(builder.job, agentJob) !== null) {
    announceEnd(builder, agentJob, status, null);
  }
}

/** Otherwise the agent may not have its last replies yet. */
function isOver({ job }: DecisionBuilder): boolean {
  return job.stage.kind === 'ended';
}

function turnEnded(
  builder: DecisionBuilder,
  { prLink, ref }: AgentJob,
  lastedMs: number | null,
): Announcement {
  const links = toldLinks(builder.job);
  const replies = untold(builder.job);
  const known = links.length === 0 ? 'first' : prLink !== null && links.includes(prLink) ? 'same' : 'another';
  const undelivered = builder.undelivered();
  return {
    kind: 'turn_ended',
    link: prLink === null ? null : { url: prLink, is: known },
    branch: ref,
    lastedMs,
    replies: isOver(builder) ? replies : { ...replies, count: 0 },
    undelivered:
      undelivered.length === 0 ? null : { count: undelivered.length, authors: authorsOf(undelivered) },
  };
}

/** The replies that no message has counted as included. Their authors still wait. */
export function untold({ turnReplies }: Job): TurnReplies {
  const { count, authors, areTold } = turnReplies ?? { count: 0, authors: [] };
  return { count: areTold === true ? 0 : count, authors };
}

/** The agent took them. They belong to the turn that they start, or to the running one. */
export function countReplies(builder: DecisionBuilder, taken: readonly FollowUp[]): void {
  const { count, authors } = isOver(builder) ? { count: 0, authors: [] } : untold(builder.job);
  builder.change({
    turnReplies: {
      count: count + taken.length,
      authors: [...new Set([...authors, ...authorsOf(taken)])],
    },
  });
}

export function announceLink(builder: DecisionBuilder, agentJob: AgentJob): void {
  const { announcedPrLink, turnReplies } = builder.job;
  const url = newLink(builder.job, agentJob);
  if (url === null) return;
  builder.announce({
    kind: 'pull_request',
    url,
    changed: announcedPrLink !== null,
    branch: agentJob.ref,
    authors: turnReplies?.authors ?? [],
  });
  linkAnnounced(builder, url);
}

/** The thread knows the link; each notice channel gets its notice. */
function linkAnnounced(builder: DecisionBuilder, url: string): void {
  const { job, context } = builder;
  const { noticeChannels, pullRequests } = context.policy;
  noteLink(builder, url);
  builder.change({ prLinkTurn: job.turn });
  for (const channelId of noticeChannels) {
    const key = `notice:${job.teamId}:${channelId}:${pullRequestKey(url, pullRequests.sites)}`;
    const lane = { to: 'slack', name: `notice:${job.id}:${channelId}` } as const;
    builder.addCall(key, lane, { kind: 'notify_channel', channelId, url });
  }
  builder.watchPullRequest(url);
  builder.refreshCard();
}

/** Working again is news once in this time, which doubles with each announcement. */
const RETURN_TOLD_AGAIN_AFTER_MS = 600_000;

/** Beyond these, the oldest may be announced again. */
const MAX_LINKS = 50;

export function turnNewsOf({ turn, turnNews }: Job): TurnNews {
  if (turnNews?.turn === turn) return turnNews;
  return { turn, statuses: [], links: [], returns: 0, returnedAtMs: 0 };
}

/** Whether the status is news, once in a turn. Records it as announced. */
export function noteStatus(builder: DecisionBuilder, status: string): boolean {
  const news = turnNewsOf(builder.job);
  if (news.statuses.includes(status)) return false;
  builder.change({ turnNews: { ...news, statuses: [...news.statuses, status] } });
  return true;
}

/** The pull requests announced in this turn and the one before. */
function toldLinks(job: Job): readonly string[] {
  const { links } = turnNewsOf(job);
  return job.announcedPrLink === null ? links : [...links, job.announcedPrLink];
}

function noteLink(builder: DecisionBuilder, url: string): void {
  const news = turnNewsOf(builder.job);
  builder.change({
    announcedPrLink: url,
    turnNews: { ...news, links: [...new Set([...news.links, url])].slice(-MAX_LINKS) },
  });
}

/** What was announced concerns another turn. */
export function forgetStatuses(builder: DecisionBuilder): void {
  builder.change({ turnNews: { ...turnNewsOf(builder.job), statuses: [] } });
}

/** Whether working again, with its outcome, is news. Records it as announced. */
function isReturnNews(builder: DecisionBuilder): boolean {
  const { nowMs } = builder.context;
  const news = turnNewsOf(builder.job);
  const { returns, returnedAtMs } = news;
  const quietMs = returns === 0 ? 0 : RETURN_TOLD_AGAIN_AFTER_MS * 2 ** (returns - 1);
  if (isWaitOn(returnedAtMs + quietMs, quietMs, nowMs)) return false;
  builder.change({ turnNews: { ...news, statuses: [], returns: returns + 1, returnedAtMs: nowMs } });
  return true;
}
