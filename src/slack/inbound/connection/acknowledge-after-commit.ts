import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import { z } from 'zod';
import type { Clock } from '../../../engine/runtime/clock.ts';
import type { Logger } from '../../../engine/runtime/redact.ts';
import { isTooOld } from '../../messages/message-event.ts';
import { BadRequestError, checkShape, withoutNulls } from './request-checks.ts';
import {
  type InboundRequestOutcome,
  keyOf,
  kindOf,
  type LoggedRequest,
  outcomeWithoutNote,
  type RefusedRequest,
  requestInFlight,
  teamOf,
} from './request-log.ts';

/** Slack waits this long for the answer to a request. */
const LAST_ANSWERS_MS = 3_000;

/**
 * After a request arrives or is answered, background loops yield for this long, in real time, so that a burst
 * is answered quickly on a slow disk. After a longer silence, the requests in flight wait for somebody else:
 * one unresponsive workspace must not block the rest.
 */
const GIVE_WAY_FOR_MS = 100;

/** What a connection reports about its requests, and how long each counts as in flight. */
export interface RequestsOptions {
  /**
   * How long, in real time, a request still counts as in flight after its answer. Requests in a row leave
   * gaps that a loop must not fill.
   */
  readonly nextWithinMs: number;
  /** Slack redelivered a request, so it may have given up on others. */
  readonly onRedelivery: () => void;
  /** Slack drops the workspace's events (null: any workspace's) until then, and never delivers them. */
  readonly onHeldBack: (teamId: string | null, untilMs: number) => Promise<void>;
  /** A request was refused, and its author has been told. */
  readonly onRefused: (refused: RefusedRequest) => Promise<void>;
}

export interface ReceiverTools extends RequestsOptions {
  readonly log: Logger;
  readonly clock: Clock;
  /**
   * Whether the receiver answers requests in flight when it is stopped. If not, it is stopped after they are
   * answered; requests that arrive meanwhile stay unacknowledged and unprocessed.
   */
  readonly answersAfterStop: boolean;
}

export interface CommittingReceiver extends Receiver {
  /**
   * Requests that background work should yield to, without those that wait for Slack. The last one counts for
   * a moment after its answer.
   */
  requestsInFlight(): number;
}

/**
 * Bolt acknowledges events before their listeners run, so a crash in between would lose them. Here, Slack
 * gets the acknowledgement once the listeners have committed, and redelivers the event if one failed.
 * Commands and actions acknowledge themselves. Stopping waits for the requests in flight.
 */
export function acknowledgeAfterCommit(receiver: Receiver, tools: ReceiverTools): CommittingReceiver {
  const { log, clock, answersAfterStop, nextWithinMs } = tools;
  const inFlight = new Set<Promise<void>>();
  let arrivedAtMs = Number.NEGATIVE_INFINITY;
  let answeredAtMs = Number.NEGATIVE_INFINITY;
  let isStopping = false;
  return {
    init: (app) => {
      const processEvent = async (event: ReceiverEvent) => {
        if (isStopping && !answersAfterStop) {
          log.info('inbound_request_left');
          return;
        }
        arrivedAtMs = performance.now();
        const done = commit(app, event, tools).finally(() => {
          inFlight.delete(done);
          answeredAtMs = performance.now();
        });
        inFlight.add(done);
        return done;
      };
      // Receivers use only the app's `processEvent`.
      const get: ProxyHandler<App>['get'] = (target, property, proxy) =>
        property === 'processEvent' ? processEvent : Reflect.get(target, property, proxy);
      receiver.init(new Proxy(app, { get }));
    },
    requestsInFlight: () => {
      const nowMs = performance.now();
      const isAnsweredNow = nowMs < answeredAtMs + nextWithinMs;
      const isMoving = nowMs < Math.max(arrivedAtMs, answeredAtMs) + GIVE_WAY_FOR_MS;
      return isMoving ? inFlight.size || Number(isAnsweredNow) : 0;
    },
    start: (...args) => receiver.start(...args),
    stop: async (...args) => {
      isStopping = true;
      if (!answersAfterStop) await clock.timeout(LAST_ANSWERS_MS, Promise.allSettled(inFlight), 'late');
      await receiver.stop(...args);
      await Promise.allSettled(inFlight);
    },
  };
}

async function commit(app: App, given: ReceiverEvent, tools: ReceiverTools): Promise<void> {
  const event = { ...given, body: withoutNulls(given.body) };
  const { type, event_time: eventTime } = event.body;
  if (type === 'app_rate_limited') {
    // Bolt has no listener for this and would answer 404.
    const { teamId, untilMs } = heldBackBy(event.body, tools.clock.now());
    tools.log.warn('slack_events_rate_limited', { team_id: teamId });
    await tools.onHeldBack(teamId, untilMs);
    return event.ack();
  }
  if (event.retryNum !== undefined && event.retryNum > 0) tools.onRedelivery();
  if (isTooOld(Number(eventTime), tools.clock.now())) {
    tools.log.warn('slack_event_too_old', { event_time: Number(eventTime) });
    return event.ack();
  }
  try {
    checkShape(event.body);
  } catch (error) {
    if (error instanceof BadRequestError)
      tools.log.warn('request_refused', { status: error.status, reason: error.message });
    throw error;
  }
  await loggedRequest(event, tools, (request) => app.processEvent(request));
}

/** Runs the listeners, acknowledges what they committed, and logs the outcome. */
export async function loggedRequest(
  event: ReceiverEvent,
  { log, clock, onRefused }: Pick<ReceiverTools, 'log' | 'clock' | 'onRefused'>,
  processEvent: (event: ReceiverEvent) => Promise<void>,
): Promise<void> {
  const arrivedAtMs = clock.now();
  const request: LoggedRequest = { note: null, isLeft: false };
  const kind = kindOf(event.body);
  const isEvent = event.body.type === 'event_callback';
  let isAnswered = false;
  let acknowledgedAtMs: number | null = null;
  const acknowledge: ReceiverEvent['ack'] = async (response) => {
    await event.ack(response);
    acknowledgedAtMs ??= clock.now();
  };
  // Bolt leaves the acknowledgement of some events to their listeners.
  let acknowledgeHeld = isEvent ? () => acknowledge() : async () => {};
  const ack: ReceiverEvent['ack'] = async (response) => {
    isAnswered = true;
    if (!isEvent) return acknowledge(response);
    acknowledgeHeld = () => acknowledge(response);
  };
  const factsOf = (outcome: InboundRequestOutcome) => ({
    kind,
    outcome,
    team_id: teamOf(event.body),
    ...(request.note?.jobId === undefined ? {} : { job_id: request.note.jobId }),
    ...(acknowledgedAtMs === null ? {} : { acknowledged_ms: acknowledgedAtMs - arrivedAtMs }),
    duration_ms: clock.now() - arrivedAtMs,
  });
  try {
    await requestInFlight.run(request, () => processEvent({ ...event, ack }));
    // For an unknown button, for example, Bolt would never answer.
    if (!isEvent && !isAnswered) throw new BadRequestError(404, 'nobody listens to it');
    if (!request.isLeft) await acknowledgeHeld();
  } catch (error) {
    log.warn('inbound_request', factsOf('failed'));
    throw error;
  }
  const outcome = request.note?.outcome ?? outcomeWithoutNote(kind);
  const level = outcome === 'failed' ? 'warn' : outcome === 'ignored' ? 'debug' : 'info';
  log[level]('inbound_request', factsOf(outcome));
  const refusal = request.note?.refusal;
  if (outcome === 'refused' && refusal) await onRefused({ kind, key: keyOf(event.body), ...refusal });
}

const MINUTE_MS = 60_000;

const heldBack = z.looseObject({
  team_id: z
    .string()
    .regex(/^\w{1,255}$/)
    .nullable()
    .catch(null),
  minute_rate_limited: z.number().catch(Number.POSITIVE_INFINITY),
});

/**
 * Reads an `app_rate_limited`: which workspace (null: not said) gets no events, and until when.
 * https://docs.slack.dev/apis/events-api
 */
function heldBackBy(body: unknown, nowMs: number): { teamId: string | null; untilMs: number } {
  const { team_id: teamId, minute_rate_limited: minute } = heldBack.parse(body);
  // `minute_rate_limited` is never in the future.
  return { teamId, untilMs: Math.min(minute * 1000, nowMs) + MINUTE_MS };
}
