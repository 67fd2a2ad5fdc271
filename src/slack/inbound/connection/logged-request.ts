import { AsyncLocalStorage } from 'node:async_hooks';
import type { ReceiverEvent } from '@slack/bolt';
import type { Clock } from '../../../engine/runtime/clock.ts';
import type { Logger } from '../../../engine/runtime/logger.ts';

/** What listeners tell of the request in hand. */
export interface RequestNote {
  readonly outcome: InboundRequestOutcome;
  /** The job that it is about. */
  readonly jobId?: string | undefined;
}

const inHand = new AsyncLocalStorage<{ note: RequestNote | null }>();

/** A later word may take nothing back. */
const WEIGHT: Readonly<Record<InboundRequestOutcome, number>> = {
  ignored: 0,
  duplicate: 1,
  accepted: 2,
  refused: 3,
  failed: 4,
};

/** What became of the request in hand, for its log event. Several listeners may say something: the gravest counts. */
export function noteRequest(note: RequestNote): void {
  const request = inHand.getStore();
  if (request === undefined) return;
  const { note: before } = request;
  if (before !== null && WEIGHT[before.outcome] > WEIGHT[note.outcome]) return;
  request.note = { jobId: before?.jobId, ...note };
}

/** Takes a request in, and logs what became of it, and how long Slack waited for the acknowledgement. */
export async function loggedRequest(
  event: ReceiverEvent,
  { log, clock }: { readonly log: Logger; readonly clock: Clock },
  takeIn: (event: ReceiverEvent) => Promise<void>,
): Promise<void> {
  const arrivedAtMs = clock.now();
  const request: { note: RequestNote | null } = { note: null };
  let acknowledgedAtMs: number | null = null;
  const ack: ReceiverEvent['ack'] = async (response) => {
    await event.ack(response);
    acknowledgedAtMs ??= clock.now();
  };
  const kind = kindOf(event.body);
  const told = (outcome: InboundRequestOutcome) => ({
    kind,
    outcome,
    team_id: teamOf(event.body),
    ...(request.note?.jobId === undefined ? {} : { job_id: request.note.jobId }),
    ...(acknowledgedAtMs === null ? {} : { acknowledged_ms: acknowledgedAtMs - arrivedAtMs }),
    duration_ms: clock.now() - arrivedAtMs,
  });
  try {
    await inHand.run(request, () => takeIn({ ...event, ack }));
  } catch (error) {
    log.warn('inbound_request', told('failed'));
    throw error;
  }
  const outcome = request.note?.outcome ?? (MESSAGES.has(kind) ? 'ignored' : 'accepted');
  const level = outcome === 'failed' ? 'warn' : outcome === 'ignored' ? 'debug' : 'info';
  log[level]('inbound_request', told(outcome));
}

/** Of these, most have nothing to do with the program: the listeners say which do. */
const MESSAGES: ReadonlySet<InboundRequestKind> = new Set(['message', 'mention', 'other']);

const KIND_OF_BODY: ReadonlyMap<unknown, InboundRequestKind> = new Map([
  ['block_actions', 'button'],
  ['view_submission', 'form'],
  ['message_action', 'shortcut'],
]);

const KIND_OF_EVENT: ReadonlyMap<unknown, InboundRequestKind> = new Map([
  ['app_mention', 'mention'],
  ['message', 'message'],
  ['app_home_opened', 'home'],
]);

/** What Slack sent, as far as it matters here. */
interface Body {
  readonly type?: unknown;
  readonly command?: unknown;
  readonly event?: { readonly type?: unknown } | null;
  readonly team_id?: unknown;
  readonly team?: { readonly id?: unknown } | null;
}

function kindOf({ type, command, event }: Body): InboundRequestKind {
  if (type === 'event_callback') return KIND_OF_EVENT.get(event?.type) ?? 'other';
  return command === undefined ? (KIND_OF_BODY.get(type) ?? 'other') : 'command';
}

function teamOf({ team_id: teamId, team }: Body): string | null {
  const id = teamId ?? team?.id;
  return typeof id === 'string' ? id : null;
}

/** What a person did in Slack. `other`: events that mean nothing to the program. */
export const inboundRequestKinds = [
  'command',
  'mention',
  'message',
  'button',
  'form',
  'shortcut',
  'home',
  'other',
] as const;

export type InboundRequestKind = (typeof inboundRequestKinds)[number];

/**
 * What became of it. `refused`: not allowed, or not possible, and the person was told. `failed`: it could not be
 * taken in. `ignored`: a message that is none of the program's business.
 */
export const inboundRequestOutcomes = ['accepted', 'duplicate', 'refused', 'failed', 'ignored'] as const;

export type InboundRequestOutcome = (typeof inboundRequestOutcomes)[number];
