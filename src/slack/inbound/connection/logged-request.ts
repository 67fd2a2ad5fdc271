import { AsyncLocalStorage } from 'node:async_hooks';
import type { ReceiverEvent } from '@slack/bolt';
import type { Clock } from '../../../engine/runtime/clock.ts';
import type { Logger } from '../../../engine/runtime/logger.ts';

/** What listeners tell of the gesture in hand. */
export interface GestureNote {
  readonly outcome: GestureOutcome;
  /** The job that it is about. */
  readonly jobId?: string | undefined;
}

const inHand = new AsyncLocalStorage<{ note: GestureNote | null }>();

/** A later word may take nothing back. */
const WEIGHT: Readonly<Record<GestureOutcome, number>> = {
  ignored: 0,
  duplicate: 1,
  accepted: 2,
  refused: 3,
  failed: 4,
};

/** What became of the gesture in hand, for its log event. Several listeners may say something: the gravest counts. */
export function noteGesture(note: GestureNote): void {
  const gesture = inHand.getStore();
  if (gesture === undefined) return;
  const { note: before } = gesture;
  if (before !== null && WEIGHT[before.outcome] > WEIGHT[note.outcome]) return;
  gesture.note = { jobId: before?.jobId, ...note };
}

/** Takes a gesture in, and logs what became of it, and how long Slack waited for the acknowledgement. */
export async function noted(
  event: ReceiverEvent,
  { log, clock }: { readonly log: Logger; readonly clock: Clock },
  takeIn: (event: ReceiverEvent) => Promise<void>,
): Promise<void> {
  const arrivedAtMs = clock.now();
  const gesture: { note: GestureNote | null } = { note: null };
  let acknowledgedAtMs: number | null = null;
  const ack: ReceiverEvent['ack'] = async (response) => {
    await event.ack(response);
    acknowledgedAtMs ??= clock.now();
  };
  const kind = kindOf(event.body);
  const told = (outcome: GestureOutcome) => ({
    kind,
    outcome,
    team_id: teamOf(event.body),
    ...(gesture.note?.jobId === undefined ? {} : { job_id: gesture.note.jobId }),
    ...(acknowledgedAtMs === null ? {} : { acknowledged_ms: acknowledgedAtMs - arrivedAtMs }),
    duration_ms: clock.now() - arrivedAtMs,
  });
  try {
    await inHand.run(gesture, () => takeIn({ ...event, ack }));
  } catch (error) {
    log.warn('gesture', told('failed'));
    throw error;
  }
  const outcome = gesture.note?.outcome ?? (MESSAGES.has(kind) ? 'ignored' : 'accepted');
  const level = outcome === 'failed' ? 'warn' : outcome === 'ignored' ? 'debug' : 'info';
  log[level]('gesture', told(outcome));
}

/** Of these, most have nothing to do with the program: the listeners say which do. */
const MESSAGES: ReadonlySet<GestureKind> = new Set(['message', 'mention', 'other']);

const KIND_OF_BODY: ReadonlyMap<unknown, GestureKind> = new Map([
  ['block_actions', 'button'],
  ['view_submission', 'form'],
  ['message_action', 'shortcut'],
]);

const KIND_OF_EVENT: ReadonlyMap<unknown, GestureKind> = new Map([
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

function kindOf({ type, command, event }: Body): GestureKind {
  if (type === 'event_callback') return KIND_OF_EVENT.get(event?.type) ?? 'other';
  return command === undefined ? (KIND_OF_BODY.get(type) ?? 'other') : 'command';
}

function teamOf({ team_id: teamId, team }: Body): string | null {
  const id = teamId ?? team?.id;
  return typeof id === 'string' ? id : null;
}

/** What a person did in Slack. `other`: events that mean nothing to the program. */
export const gestureKinds = [
  'command',
  'mention',
  'message',
  'button',
  'form',
  'shortcut',
  'home',
  'other',
] as const;

export type GestureKind = (typeof gestureKinds)[number];

/**
 * What became of it. `refused`: not allowed, or not possible, and the person was told. `failed`: it could not be
 * taken in. `ignored`: a message that is none of the program's business.
 */
export const gestureOutcomes = ['accepted', 'duplicate', 'refused', 'failed', 'ignored'] as const;

export type GestureOutcome = (typeof gestureOutcomes)[number];
