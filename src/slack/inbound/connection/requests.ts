import { AsyncLocalStorage } from 'node:async_hooks';
import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import { z } from 'zod';
import type { Clock } from '#runtime/clock.ts';
import type { Logger } from '#runtime/redact.ts';
import { isTooOld } from '../../messages/message-event.ts';
import { BadRequestError, checkShape, withoutNulls } from './shape.ts';

export const inboundRequestKinds = [
  'command',
  'mention',
  'message',
  'button',
  'form',
  'shortcut',
  'home',
  'workflow',
  'reaction',
  'other',
] as const;
type InboundRequestKind = (typeof inboundRequestKinds)[number];

/** In order of severity. `refused`: the person got an answer. `failed`: not processed. */
export const inboundRequestOutcomes = ['ignored', 'duplicate', 'accepted', 'refused', 'failed'] as const;

export type RequestNote = Readonly<{
  outcome: (typeof inboundRequestOutcomes)[number];
  jobId?: string | undefined;
  refusal?: RefusalNote | undefined;
}>;

type RefusalNote = Readonly<{
  teamId: string;
  /** Null: a workflow that nobody started. */
  userId: string | null;
  reason: string;
}>;

export interface RefusedRequest extends RefusalNote {
  readonly kind: InboundRequestKind;
  /** The same for all deliveries. */
  readonly key: string | null;
}

interface RequestInFlight {
  note: RequestNote | null;
  isLeft: boolean;
}

const requestInFlight = new AsyncLocalStorage<RequestInFlight>();

export function noteRequest(note: RequestNote): void {
  const request = requestInFlight.getStore();
  if (request === undefined) return;
  const { note: before } = request;
  const gravity = inboundRequestOutcomes;
  if (before !== null && gravity.indexOf(before.outcome) > gravity.indexOf(note.outcome)) return;
  request.note = { ...before, ...note };
}

/** Leaves the current request unacknowledged: Slack redelivers it. */
export function leaveUnacknowledged(): void {
  const request = requestInFlight.getStore();
  if (request !== undefined) request.isLeft = true;
}

export function noteRefusal({ teamId }: { teamId: string }, userId: string | null, reason: string): void {
  noteRequest({ outcome: 'refused', refusal: { teamId, userId, reason } });
}

/** After `checkShape`. */
type Body = Readonly<{
  type?: string;
  command?: string;
  event?: Readonly<Record<string, unknown>>;
  event_id?: string;
  trigger_id?: string;
  team_id?: string;
  team?: { readonly id?: string };
}>;

const KINDS: ReadonlyMap<unknown, InboundRequestKind> = new Map([
  ['block_actions', 'button'],
  ['view_submission', 'form'],
  ['message_action', 'shortcut'],
  ['app_mention', 'mention'],
  ['message', 'message'],
  ['app_home_opened', 'home'],
  ['function_executed', 'workflow'],
  ['reaction_added', 'reaction'],
  ['reaction_removed', 'reaction'],
]);

function kindOf({ type, command, event }: Body) {
  const isEvent = type === 'event_callback';
  if (!isEvent && command !== undefined) return 'command';
  return KINDS.get(isEvent ? event?.type : type) ?? 'other';
}

function keyOf({ event, event_id: eventId, trigger_id: triggerId }: Body) {
  const { channel, ts, function_execution_id: executionId } = event ?? {};
  const messageKey = typeof channel === 'string' && typeof ts === 'string' ? `${channel}:${ts}` : null;
  return [triggerId, executionId, messageKey, eventId].find((one) => typeof one === 'string') ?? null;
}

const LAST_ANSWERS_MS = 3_000;

/**
 * In real time: how long background loops yield to a request. One unresponsive workspace must not block the
 * rest.
 */
const GIVE_WAY_FOR_MS = 100;

export type RequestsOptions = Readonly<{
  log: Logger;
  clock: Clock;
  /** How long a request counts as in flight after its answer, in real time: the next may follow. */
  nextWithinMs: number;
  /** Slack redelivered a request, so it may have dropped others. */
  onRedelivery: () => void;
  /** Until `untilMs`, Slack drops the workspace's events (null: any workspace's) for good. */
  onHeldBack: (teamId: string | null, untilMs: number) => Promise<void>;
  onRefused: (refused: RefusedRequest) => Promise<void>;
}>;

interface ReceiverTools extends RequestsOptions {
  /** Otherwise, requests that arrive during the stop stay unprocessed. */
  readonly answersAfterStop: boolean;
}

/**
 * Bolt acknowledges events before their listeners run: a crash would lose them. Here, Slack gets the
 * acknowledgement after the commit, and redelivers the event if a listener fails.
 */
export function acknowledgeAfterCommit(receiver: Receiver, tools: ReceiverTools) {
  const { log, clock, answersAfterStop, nextWithinMs } = tools;
  const inFlight = new Set<Promise<void>>();
  let arrivedAtMs = Number.NEGATIVE_INFINITY;
  let answeredAtMs = Number.NEGATIVE_INFINITY;
  let isStopping = false;
  return {
    init: (app: App) => {
      const processEvent = async (event: ReceiverEvent) => {
        if (isStopping && !answersAfterStop) return log.info('inbound_request_left');
        arrivedAtMs = performance.now();
        const done = processRequest(app, event, tools).finally(() => {
          inFlight.delete(done);
          answeredAtMs = performance.now();
        });
        inFlight.add(done);
        return done;
      };
      // Receivers use only the app's `processEvent`.
      receiver.init(Object.assign(Object.create(app), { processEvent }));
    },
    /** Excludes requests that wait for Slack. */
    requestsInFlight: () => {
      const nowMs = performance.now();
      const isAnsweredNow = nowMs < answeredAtMs + nextWithinMs;
      const isMoving = nowMs < Math.max(arrivedAtMs, answeredAtMs) + GIVE_WAY_FOR_MS;
      return isMoving ? inFlight.size || Number(isAnsweredNow) : 0;
    },
    start: (...args: unknown[]) => receiver.start(...args),
    stop: async () => {
      isStopping = true;
      if (!answersAfterStop) await clock.timeout(LAST_ANSWERS_MS, Promise.allSettled(inFlight), 'late');
      await receiver.stop();
      await Promise.allSettled(inFlight);
    },
  };
}

const MINUTE_MS = 60_000;

/** https://docs.slack.dev/apis/events-api */
const rateLimited = z.looseObject({
  team_id: z
    .string()
    .regex(/^\w{1,255}$/)
    .nullable()
    .catch(null),
  minute_rate_limited: z.number().catch(Number.POSITIVE_INFINITY),
});

async function processRequest(app: App, given: ReceiverEvent, tools: ReceiverTools) {
  const { log } = tools;
  const nowMs = tools.clock.now();
  const event = { ...given, body: withoutNulls(given.body) };
  if (event.body.type === 'app_rate_limited') {
    // Bolt has no listener for this and would answer 404.
    const { team_id: teamId, minute_rate_limited: minute } = rateLimited.parse(event.body);
    log.warn('slack_events_rate_limited', { team_id: teamId });
    // The minute is never in the future.
    await tools.onHeldBack(teamId, Math.min(minute * 1000, nowMs) + MINUTE_MS);
    return event.ack();
  }
  if (event.retryNum !== undefined && event.retryNum > 0) tools.onRedelivery();
  const eventTime = Number(event.body.event_time);
  if (isTooOld(eventTime, nowMs)) {
    log.warn('slack_event_too_old', { event_time: eventTime });
    return event.ack();
  }
  try {
    checkShape(event.body);
  } catch (error) {
    if (error instanceof BadRequestError)
      log.warn('request_refused', { status: error.status, reason: error.message });
    throw error;
  }
  await loggedRequest(event, tools, (request) => app.processEvent(request));
}

export async function loggedRequest(
  event: ReceiverEvent,
  { log, clock, onRefused }: Pick<ReceiverTools, 'log' | 'clock' | 'onRefused'>,
  processEvent: (event: ReceiverEvent) => Promise<void>,
): Promise<void> {
  const arrivedAtMs = clock.now();
  const request: RequestInFlight = { note: null, isLeft: false };
  const body: Body = event.body;
  const kind = kindOf(body);
  const isEvent = body.type === 'event_callback';
  let acknowledgedAtMs: number | null = null;
  const acknowledge: ReceiverEvent['ack'] = async (response) => {
    await event.ack(response);
    acknowledgedAtMs ??= clock.now();
  };
  const ack = isEvent ? async () => {} : acknowledge;
  const factsOf = (outcome: string) => ({
    kind,
    outcome,
    team_id: body.team_id ?? body.team?.id ?? null,
    ...(request.note?.jobId !== undefined && { job_id: request.note.jobId }),
    ...(acknowledgedAtMs !== null && { acknowledged_ms: acknowledgedAtMs - arrivedAtMs }),
    duration_ms: clock.now() - arrivedAtMs,
  });
  try {
    await requestInFlight.run(request, () => processEvent({ ...event, ack }));
    // Bolt never answers an unknown button, for example.
    if (!isEvent && acknowledgedAtMs === null) throw new BadRequestError(404, 'nobody listens to it');
    if (isEvent && !request.isLeft) await acknowledge();
  } catch (error) {
    log.warn('inbound_request', factsOf('failed'));
    throw error;
  }
  // Most events do not concern the program; listeners note those that do.
  const { outcome = isEvent ? 'ignored' : 'accepted', refusal } = request.note ?? {};
  const level = outcome === 'failed' ? 'warn' : outcome === 'ignored' ? 'debug' : 'info';
  log[level]('inbound_request', factsOf(outcome));
  if (outcome === 'refused' && refusal) await onRefused({ kind, key: keyOf(body), ...refusal });
}
