import { AsyncLocalStorage } from 'node:async_hooks';

/** What a person did in Slack. `other`: events that mean nothing here. */
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
export type InboundRequestKind = (typeof inboundRequestKinds)[number];

/**
 * `refused`: not allowed or not possible, and the person knows. `failed`: not processed. `ignored`: a message
 * that does not concern the program.
 */
export const inboundRequestOutcomes = ['accepted', 'duplicate', 'refused', 'failed', 'ignored'] as const;
export type InboundRequestOutcome = (typeof inboundRequestOutcomes)[number];

export interface RequestNote {
  readonly outcome: InboundRequestOutcome;
  readonly jobId?: string | undefined;
  readonly refusal?: RefusalNote | undefined;
}

export interface RefusalNote {
  readonly teamId: string;
  /** Null: a workflow that nobody started. */
  readonly userId: string | null;
  readonly reason: string;
}

export interface RefusedRequest extends RefusalNote {
  readonly kind: InboundRequestKind;
  /** The same for all deliveries of a request; null: Slack gave it no name. */
  readonly key: string | null;
}

export interface LoggedRequest {
  note: RequestNote | null;
  /** Not acknowledged, so that Slack redelivers it. */
  isLeft: boolean;
}

export const requestInFlight = new AsyncLocalStorage<LoggedRequest>();

/** A later note cannot outweigh a graver one. */
const WEIGHT: Readonly<Record<InboundRequestOutcome, number>> = {
  ignored: 0,
  duplicate: 1,
  accepted: 2,
  refused: 3,
  failed: 4,
};

/** Records the outcome of the current request for its log event. The gravest outcome counts. */
export function noteRequest(note: RequestNote): void {
  const request = requestInFlight.getStore();
  if (request === undefined) return;
  const { note: before } = request;
  if (before !== null && WEIGHT[before.outcome] > WEIGHT[note.outcome]) return;
  request.note = { jobId: before?.jobId, refusal: before?.refusal, ...note };
}

/** The current request belongs to another program: Slack redelivers it. */
export function leaveRequest(): void {
  const request = requestInFlight.getStore();
  if (request !== undefined) request.isLeft = true;
}

/** The current request is refused, its author knows why, and an audit shows it. */
export function noteRefusal(
  { teamId }: Pick<RefusalNote, 'teamId'>,
  userId: RefusalNote['userId'],
  reason: string,
): void {
  noteRequest({ outcome: 'refused', refusal: { teamId, userId, reason } });
}

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

interface Body {
  readonly type?: unknown;
  readonly command?: unknown;
  readonly event?: {
    readonly type?: unknown;
    readonly channel?: unknown;
    readonly ts?: unknown;
    readonly function_execution_id?: unknown;
  } | null;
  readonly event_id?: unknown;
  readonly trigger_id?: unknown;
  readonly team_id?: unknown;
  readonly team?: { readonly id?: unknown } | null;
}

export function kindOf({ type, command, event }: Body): InboundRequestKind {
  if (type !== 'event_callback' && command !== undefined) return 'command';
  return KINDS.get(type === 'event_callback' ? event?.type : type) ?? 'other';
}

const WAITED_FOR: ReadonlySet<InboundRequestKind> = new Set([
  'command',
  'button',
  'form',
  'shortcut',
  'home',
]);

/** Most events do not concern the program; listeners note those that do. */
export function outcomeWithoutNote(kind: InboundRequestKind): InboundRequestOutcome {
  return WAITED_FOR.has(kind) ? 'accepted' : 'ignored';
}

/** A mention arrives as two events about the same message. */
export function keyOf({ event, event_id: eventId, trigger_id: triggerId }: Body): string | null {
  if (typeof triggerId === 'string') return triggerId;
  const { channel, ts, function_execution_id: executionId } = event ?? {};
  if (typeof executionId === 'string') return executionId;
  if (typeof channel === 'string' && typeof ts === 'string') return `${channel}:${ts}`;
  return typeof eventId === 'string' ? eventId : null;
}

export function teamOf({ team_id: teamId, team }: Body): string | null {
  const id = teamId ?? team?.id;
  return typeof id === 'string' ? id : null;
}
