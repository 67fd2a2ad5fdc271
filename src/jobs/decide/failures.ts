import type { AgentFailure, AgentFailureReason, TroubleKind } from '../agent-job.ts';
import type { Trouble } from '../job.ts';
import { isWaitOn, retryDelayMs } from '../schedule/schedule.ts';
import type { DecisionBuilder } from './decision-builder.ts';

/** `retry`: nothing happened. `unknown`: a person decides. */
export type Verdict = 'retry' | 'failed' | 'unknown';

/** For the call, if its outcome is definite, and for the job. */
const MEANINGS: Readonly<Record<AgentFailureReason, readonly [Exclude<Verdict, 'unknown'>, TroubleKind]>> = {
  rate_limited: ['retry', 'rate_limited'],
  unreachable: ['retry', 'unreachable'],
  unauthorized: ['retry', 'needs_admin'],
  // For create calls, an unknown project. For messages, see `mayComeBack`.
  not_found: ['retry', 'needs_admin'],
  no_such_path: ['retry', 'unreachable'],
  rejected: ['failed', 'needs_admin'],
  server_error: ['failed', 'unreachable'],
  bad_answer: ['failed', 'unreachable'],
};

export function verdictOn({ outcome, reason }: AgentFailure): Verdict {
  return outcome === 'unknown' ? outcome : MEANINGS[reason][0];
}

const GONE_AFTER_MS = 3_600_000;
/** In a longer gap between answers, the job may have been back. */
const UNSEEN_AFTER_MS = GONE_AFTER_MS / 2;
const PATIENCE_MS = 120_000;

export function isMissing({ reason }: AgentFailure): boolean {
  return reason === 'not_found' || reason === 'no_such_path';
}

export function noteMissing(builder: DecisionBuilder, failure: AgentFailure | null): void {
  const { nowMs } = builder;
  const { missing = null } = builder.job;
  if (failure !== null && isMissing(failure)) {
    const isStill = missing !== null && isWaitOn(missing.untilMs + UNSEEN_AFTER_MS, UNSEEN_AFTER_MS, nowMs);
    builder.change({ missing: { sinceMs: isStill ? missing.sinceMs : nowMs, untilMs: nowMs } });
  } else if (missing !== null) builder.change({ missing: null });
}

/**
 * Gone after an hour of 404s, or after a settle window if the API itself answers 404 but knows other jobs.
 * The wait keeps two agents from doing the same work.
 */
export function isGone(
  { job, context }: DecisionBuilder,
  failure: AgentFailure,
  othersAnsweredAtMs: number | null = null,
): boolean {
  const { stage, missing = null } = job;
  if (!isMissing(failure)) return false;
  if (stage.kind === 'ended' && stage.status === 'vanished') return true;
  if (missing === null) return false;
  const missingMs = context.nowMs - missing.sinceMs;
  if (missingMs >= GONE_AFTER_MS) return true;
  const isSaid = failure.reason === 'not_found' && missingMs >= context.policy.settleWindowMs;
  return isSaid && othersAnsweredAtMs !== null && othersAnsweredAtMs > missing.sinceMs;
}

/** Whether replies wait after a 404. */
export function mayComeBack(
  { job, context }: DecisionBuilder,
  failure: AgentFailure,
  isJobGone: boolean,
): boolean {
  if (isJobGone) return false;
  if (failure.reason === 'no_such_path') return true;
  const { trouble, stage } = job;
  if (stage.kind === 'ended' && stage.status !== 'completed') return false;
  const sinceMs = trouble?.source === 'send' ? trouble.sinceMs : context.nowMs;
  return context.nowMs - sinceMs < PATIENCE_MS;
}

const LONG_OUTAGE_MS = 600_000;
const LONG_WAIT_MS = 120_000;
const LONG_LIMIT_MS = 600_000;
const SHORT_LIMIT_MS = 5_000;
/** The card shows minutes. */
const WORTH_AN_EDIT_MS = 60_000;

/** Returns when to try again. */
export function noteTrouble(
  builder: DecisionBuilder,
  source: Trouble['source'],
  failure: AgentFailure,
): number {
  const { nowMs, jitter } = builder.context;
  const { trouble: current, agentJob } = builder.job;
  const isJobMissing = failure.reason === 'not_found' && agentJob !== null;
  // Until a call succeeds: alternating announcements are noise.
  const isForAdmin = current?.kind === 'needs_admin';
  // No administrator can restore a missing job.
  const kind = isForAdmin ? 'needs_admin' : isJobMissing ? 'unreachable' : MEANINGS[failure.reason][1];
  const isByAgent = kind === 'rate_limited' && failure.status !== null;
  // The API's rate limit, unlike our budget, shows that it is reachable.
  if (isByAgent && current?.kind === 'unreachable') endTrouble(builder, current);
  const { trouble } = builder.job;
  // A `Retry-After: 0` must not become a busy loop.
  const retryAtAfter = (misses: number) => nowMs + (failure.retryAfterMs || retryDelayMs(misses, jitter));
  const isOutage = trouble?.kind === 'unreachable' && (trouble.isAnnounced || trouble.source === 'check');
  if (kind === 'rate_limited' && !isByAgent && isOutage) {
    const retryAtMs = retryAtAfter(1);
    if (trouble.source === 'send') builder.change({ trouble: { ...trouble, retryAtMs } });
    return retryAtMs;
  }
  const before = trouble?.kind === kind ? trouble : null;
  const misses = (before?.misses ?? 0) + 1;
  const sendMisses = (before?.sendMisses ?? 0) + (source === 'send' ? 1 : 0);
  // Failed reads must not slow sends down.
  const retryAtMs = retryAtAfter(source === 'send' ? sendMisses : misses);
  const sinceMs = before?.sinceMs ?? nowMs;
  const isLong = isLongTrouble(builder, { kind, source, sinceMs }, failure.retryAfterMs ? retryAtMs : nowMs);
  const isNews = isLong && before?.isAnnounced !== true;
  builder.change({
    trouble: {
      kind,
      // A rate limit of reads must not replace one of sends.
      source: before?.kind === 'rate_limited' && before.source === 'send' ? 'send' : source,
      sinceMs,
      misses,
      sendMisses,
      retryAtMs,
      ...(isByAgent && { isByAgent }),
      isAnnounced: isNews || before?.isAnnounced === true,
    },
  });
  if (isNews) {
    const words = kind === 'needs_admin' ? failure.words : undefined;
    builder.announce({ kind: 'trouble', trouble: kind, retryAtMs, words });
  }
  const isShort = kind === 'rate_limited' && retryAtMs - nowMs <= SHORT_LIMIT_MS;
  if (before === null && isShort) builder.schedule('refresh_card', nowMs + SHORT_LIMIT_MS, 'keep');
  else if (before === null || isNews || Math.abs(retryAtMs - before.retryAtMs) > WORTH_AN_EDIT_MS)
    builder.refreshCard();
  return retryAtMs;
}

function isLongTrouble(
  builder: DecisionBuilder,
  { kind, source, sinceMs }: Pick<Trouble, 'kind' | 'source' | 'sinceMs'>,
  untilMs: number,
) {
  const waitMs = untilMs - personWaitsSinceMs(builder, sinceMs);
  switch (kind) {
    case 'needs_admin':
      return true;
    case 'rate_limited':
      return source === 'send' && waitMs > LONG_LIMIT_MS;
    case 'unreachable':
      return untilMs - sinceMs >= LONG_OUTAGE_MS || waitMs >= LONG_WAIT_MS;
  }
}

/** Infinity: nobody waits. */
function personWaitsSinceMs(builder: DecisionBuilder, troubleSinceMs: number) {
  if (builder.job.stage.kind === 'creating') return troubleSinceMs;
  const unsent = builder.followUpsIn('waiting', 'sending');
  return Math.max(troubleSinceMs, Math.min(...unsent.map(({ receivedAtMs }) => receivedAtMs)));
}

/** Reads and sends have separate rate limits, and sends may fail while reads succeed. */
export function clearTrouble(builder: DecisionBuilder, source: Trouble['source']): void {
  const { trouble } = builder.job;
  if (trouble === null) return;
  if (source === 'check' && delaysSends(builder, trouble)) {
    if (trouble.source === 'send') return;
    builder.change({ trouble: { ...trouble, source: 'send' } });
    builder.refreshCard();
  } else if (source === 'check' || trouble.source === 'send' || trouble.kind !== 'rate_limited') {
    endTrouble(builder, trouble);
  }
}

/** The next read shows whether announced trouble is over. */
export function forgetSendTrouble(builder: DecisionBuilder): void {
  const { trouble, agentJob, stage } = builder.job;
  if (trouble?.source !== 'send' || agentJob === null || delaysSends(builder, trouble)) return;
  if (stage.kind !== 'working' || !hasEndToTell(trouble)) builder.change({ trouble: null });
}

/** Announced trouble stays until its end is announced. */
export function forgetUntoldTrouble(builder: DecisionBuilder): void {
  const { trouble } = builder.job;
  if (trouble?.source === 'send' && !hasEndToTell(trouble)) builder.change({ trouble: null });
}

function delaysSends(builder: DecisionBuilder, { source, sendMisses = 0 }: Trouble) {
  return (source === 'send' || sendMisses > 0) && builder.followUpsIn('waiting', 'sending').length > 0;
}

export function endTrouble(builder: DecisionBuilder, trouble: Trouble): void {
  if (hasEndToTell(trouble)) builder.announce({ kind: 'recovered' });
  builder.change({ trouble: null });
  builder.refreshCard();
}

function hasEndToTell({ kind, isAnnounced }: Trouble) {
  return isAnnounced && kind !== 'rate_limited';
}
