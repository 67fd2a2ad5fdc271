import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import { z } from 'zod';
import type { Clock } from '../../../engine/runtime/clock.ts';
import type { Logger } from '../../../engine/runtime/logger.ts';
import { isTooOld } from '../../messages/too-old.ts';
import { loggedRequest } from './logged-request.ts';
import { BadRequestError, checkShape, withoutNulls } from './shape.ts';

/** Slack waits no longer for the answer to a request. */
const LAST_ANSWERS_MS = 3_000;

/** What shows that requests were missed. */
export interface MissedSigns {
  /** Called when Slack delivers something again: it may have given up other requests. */
  readonly onRedelivery: () => void;
  /** Slack delivers no events of the workspace (null: it did not say which) until then, and not later either. */
  readonly onHeldBack: (teamId: string | null, untilMs: number) => Promise<void>;
}

export interface ReceiverTools extends MissedSigns {
  readonly log: Logger;
  readonly clock: Clock;
  /**
   * Whether the receiver answers what is in hand when it is stopped. If not, it is stopped when that is answered; what
   * comes meanwhile is left unacknowledged, and nothing comes of it.
   */
  readonly answersAfterStop: boolean;
}

export interface CommittingReceiver extends Receiver {
  /** How many requests are not done with yet. */
  requestsInHand(): number;
}

/**
 * Bolt acknowledges events before their listeners run; a crash in between would lose the event. This wraps a
 * receiver so that Slack gets the acknowledgement of an event only after its listeners have committed, and
 * none if one of them failed: Slack then delivers it again. Commands and actions acknowledge themselves.
 * Stopping waits for the requests that are being stored.
 */
export function acknowledgeAfterCommit(receiver: Receiver, tools: ReceiverTools): CommittingReceiver {
  const { log, clock, answersAfterStop } = tools;
  const inHand = new Set<Promise<void>>();
  let isStopping = false;
  return {
    init: (app) => {
      const processEvent = async (event: ReceiverEvent) => {
        if (isStopping && !answersAfterStop) {
          log.info('inbound_request_left');
          return;
        }
        const done = committed(app, event, tools).finally(() => inHand.delete(done));
        inHand.add(done);
        return done;
      };
      receiver.init(withProcessEvent(app, processEvent));
    },
    requestsInHand: () => inHand.size,
    start: (...args) => receiver.start(...args),
    stop: async (...args) => {
      isStopping = true;
      if (!answersAfterStop) await settledIn(LAST_ANSWERS_MS, inHand, clock);
      await receiver.stop(...args);
      await Promise.allSettled(inHand);
    },
  };
}

async function settledIn(limitMs: number, inHand: Iterable<Promise<void>>, clock: Clock): Promise<void> {
  const limit = Promise.withResolvers<void>();
  const cancel = clock.at(clock.now() + limitMs, limit.resolve);
  await Promise.race([Promise.allSettled(inHand), limit.promise]);
  cancel();
}

async function committed(app: App, given: ReceiverEvent, tools: ReceiverTools): Promise<void> {
  const event = { ...given, body: withoutNulls(given.body) };
  const { type, event_time: eventTime } = event.body;
  if (type === 'app_rate_limited') {
    // Bolt knows no listener for this, and would answer 404.
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
  checked(event.body, tools.log);
  await loggedRequest(event, tools, async (request) => {
    if (type !== 'event_callback') return processRequest(app, request);
    let acknowledge = async () => {};
    const hold: ReceiverEvent['ack'] = async (response) => {
      acknowledge = () => request.ack(response);
    };
    await app.processEvent({ ...request, ack: hold });
    await acknowledge();
  });
}

/** Nobody listens to an unknown button, say. Bolt would let Slack wait for the whole time it has. */
async function processRequest(app: App, request: ReceiverEvent): Promise<void> {
  let isAcknowledged = false;
  const ack: ReceiverEvent['ack'] = (response) => {
    isAcknowledged = true;
    return request.ack(response);
  };
  await app.processEvent({ ...request, ack });
  if (!isAcknowledged) throw new BadRequestError(404, 'nobody listens to it');
}

function checked(body: object, log: Logger): void {
  try {
    checkShape(body);
  } catch (error) {
    if (error instanceof BadRequestError)
      log.warn('request_refused', { status: error.status, reason: error.message });
    throw error;
  }
}

/** Receivers call nothing of the app but `processEvent`. */
function withProcessEvent(app: App, processEvent: App['processEvent']): App {
  return new Proxy(app, {
    get: (target, property, proxy) =>
      property === 'processEvent' ? processEvent : Reflect.get(target, property, proxy),
  });
}

const MINUTE_MS = 60_000;

const heldBack = z.looseObject({
  team_id: z
    .string()
    .regex(/^\w{1,255}$/)
    .optional()
    .catch(undefined),
  minute_rate_limited: z.number().optional().catch(undefined),
});

/**
 * What an `app_rate_limited` tells: of which workspace (null: it does not say) Slack delivered no events, and until
 * when. https://docs.slack.dev/apis/events-api
 */
function heldBackBy(body: unknown, nowMs: number): { teamId: string | null; untilMs: number } {
  const { team_id: teamId, minute_rate_limited: minute } = heldBack.parse(body);
  const untilMs = minute === undefined ? nowMs + MINUTE_MS : minute * 1000 + MINUTE_MS;
  // It tells of this minute, or of one that is over.
  return { teamId: teamId ?? null, untilMs: Math.min(untilMs, nowMs + MINUTE_MS) };
}
