import type { AgentFailure } from '../agent-job.ts';
import type { Job, Trouble, TroubleKind } from '../job.ts';
import { retryDelayMs } from '../schedule/schedule.ts';
import type { DecisionBuilder } from './decision-builder.ts';

/** A shorter outage is not worth a message in the thread. */
const LONG_OUTAGE_MS = 600_000;
/** Unless a person waits this long for a request or reply to go out. */
const LONG_WAIT_MS = 120_000;
/** How long a person waits for the rate limit without a message in the thread: the card says until when. */
const LONG_LIMIT_MS = 600_000;
/** A wait for the rate limit that is over before anybody could read of it. */
const SHORT_LIMIT_MS = 5_000;
/** The card says until when the job waits, to the minute. */
const WORTH_AN_EDIT_MS = 60_000;

/** Records what holds the job up, tells the thread when it lasts, and returns when to try again. */
export function noteTrouble(
  builder: DecisionBuilder,
  source: Trouble['source'],
  failure: AgentFailure,
): number {
  const { nowMs, jitter } = builder.context;
  const kind = troubleKind(builder.job, failure);
  // An API that limits the rate can be reached. Our own budget does not tell.
  if (kind === 'rate_limited' && failure.status !== null && builder.job.trouble?.kind === 'unreachable')
    endTrouble(builder, builder.job.trouble);
  const { trouble } = builder.job;
  if (kind === 'rate_limited' && failure.status === null && isOutage(trouble)) {
    const retryAtMs = nowMs + (failure.retryAfterMs || retryDelayMs(1, jitter));
    if (trouble.source === 'send') builder.change({ trouble: { ...trouble, retryAtMs } });
    return retryAtMs;
  }
  const before = trouble?.kind === kind ? trouble : null;
  const misses = (before?.misses ?? 0) + 1;
  // A person waits for what is sent: it is tried again soon, however often the job could not be read.
  const sendMisses = (before?.sendMisses ?? 0) + (source === 'send' ? 1 : 0);
  const delayMs = retryDelayMs(source === 'send' ? sendMisses : misses, jitter);
  // A `Retry-After` of zero, again and again, must not become a busy loop.
  const retryAtMs = nowMs + (failure.retryAfterMs || delayMs);
  const sinceMs = before?.sinceMs ?? nowMs;
  const isLong = isLongTrouble(builder, { kind, source, sinceMs, retryAtMs }, failure);
  const announceNow = before?.isAnnounced !== true && isLong;
  builder.change({
    trouble: {
      kind,
      // A rate limit of sends outlasts one of reads, which must not replace it.
      source: before?.kind === 'rate_limited' && before.source === 'send' ? 'send' : source,
      sinceMs,
      misses,
      sendMisses,
      retryAtMs,
      ...(kind === 'rate_limited' && failure.status !== null && { isByAgent: true }),
      isAnnounced: announceNow || before?.isAnnounced === true,
    },
  });
  if (announceNow) {
    const words = kind === 'needs_admin' && failure.words !== undefined ? { words: failure.words } : {};
    builder.announce({ kind: 'trouble', trouble: kind, retryAtMs, ...words });
  }
  const isShort = kind === 'rate_limited' && retryAtMs - nowMs <= SHORT_LIMIT_MS;
  if (before === null && isShort) builder.schedule('refresh_card', nowMs + SHORT_LIMIT_MS, 'keep');
  else if (before === null || announceNow || Math.abs(retryAtMs - before.retryAtMs) > WORTH_AN_EDIT_MS)
    builder.refreshCard();
  return retryAtMs;
}

/** An outage that our own budget does not end: its end is to be announced, or reads fail, too. */
function isOutage(trouble: Trouble | null): trouble is Trouble {
  return trouble?.kind === 'unreachable' && (trouble.isAnnounced || trouble.source === 'check');
}

/** Whether the thread is told. The card shows every trouble at once, and until when. */
function isLongTrouble(
  builder: DecisionBuilder,
  { kind, source, sinceMs, retryAtMs }: Pick<Trouble, 'kind' | 'source' | 'sinceMs' | 'retryAtMs'>,
  { retryAfterMs }: AgentFailure,
): boolean {
  // Nothing is tried before the time that the API asks for.
  const untilMs = retryAfterMs ? retryAtMs : builder.context.nowMs;
  const waitsSinceMs = personWaitsSinceMs(builder, sinceMs);
  const waitMs = waitsSinceMs === null ? 0 : untilMs - waitsSinceMs;
  switch (kind) {
    case 'needs_admin':
      return true;
    case 'rate_limited':
      return source === 'send' && waitMs > LONG_LIMIT_MS;
    case 'unreachable':
      return untilMs - sinceMs >= LONG_OUTAGE_MS || waitMs >= LONG_WAIT_MS;
  }
}

/** Since when a person waits for a request or reply to go out; null: nobody does. */
function personWaitsSinceMs(builder: DecisionBuilder, troubleSinceMs: number): number | null {
  if (builder.job.stage.kind === 'creating') return troubleSinceMs;
  const unsent = builder.followUpsIn('waiting', 'sending');
  if (unsent.length === 0) return null;
  return Math.max(troubleSinceMs, Math.min(...unsent.map(({ receivedAtMs }) => receivedAtMs)));
}

/**
 * Ends the trouble that a success disproves. Any answer shows that the API can be reached and accepts the
 * key, but reads and sends have separate rate limits, and sends may fail while reads succeed.
 */
export function clearTrouble(builder: DecisionBuilder, source: Trouble['source']): void {
  const { trouble } = builder.job;
  if (trouble === null) return;
  if (source === 'check' && holdsUpSends(builder, trouble)) {
    if (trouble.source === 'send') return;
    builder.change({ trouble: { ...trouble, source: 'send' } });
    builder.refreshCard();
  } else if (source === 'check' || trouble.source === 'send' || trouble.kind !== 'rate_limited') {
    endTrouble(builder, trouble);
  }
}

/**
 * What held up sends no longer matters if nothing waits. If the thread was told while the agent works, the
 * next read shows whether it is over.
 */
export function forgetSendTrouble(builder: DecisionBuilder): void {
  const { trouble, agentJob, stage } = builder.job;
  if (trouble?.source !== 'send' || agentJob === null || holdsUpSends(builder, trouble)) return;
  if (stage.kind !== 'working' || !hasEndToTell(trouble)) builder.change({ trouble: null });
}

/** A call went out, so nothing holds it up. If the thread was told, it has to hear the end. */
export function forgetUntoldTrouble(builder: DecisionBuilder): void {
  const { trouble } = builder.job;
  if (trouble?.source === 'send' && !hasEndToTell(trouble)) builder.change({ trouble: null });
}

function holdsUpSends(builder: DecisionBuilder, { source, sendMisses = 0 }: Trouble): boolean {
  return (source === 'send' || sendMisses > 0) && builder.followUpsIn('waiting', 'sending').length > 0;
}

export function endTrouble(builder: DecisionBuilder, trouble: Trouble): void {
  if (hasEndToTell(trouble)) builder.announce({ kind: 'recovered' });
  builder.change({ trouble: null });
  builder.refreshCard();
}

/** Of a rate limit, the thread was told the end already. */
function hasEndToTell({ kind, isAnnounced }: Trouble): boolean {
  return isAnnounced && kind !== 'rate_limited';
}

function troubleKind({ trouble, agentJob }: Job, { reason }: AgentFailure): TroubleKind {
  // An administrator must act until a call succeeds; announcing it at every other failure would be noise.
  if (trouble?.kind === 'needs_admin') return 'needs_admin';
  switch (reason) {
    case 'rate_limited':
      return 'rate_limited';
    case 'not_found':
      // A gateway misses what was created, or it is gone: no administrator can tell.
      return agentJob === null ? 'needs_admin' : 'unreachable';
    case 'unauthorized':
    case 'rejected':
      return 'needs_admin';
    case 'no_such_path':
    case 'unreachable':
    case 'server_error':
    case 'bad_answer':
      return 'unreachable';
  }
}
