import { announcedLink, meaningOf } from '../announcement.ts';
import type { CallRequest, CallState } from '../call.ts';

export type PastCall = Readonly<{
  request: CallRequest;
  state: CallState;
  createdAtMs: number;
  endedAtMs: number | null;
}>;

/** A prompt or message that reached the agent, or may have. */
export type Turn = Readonly<{
  kind: 'prompt' | 'follow_up';
  text: string;
  startedAtMs: number;
  isAccepted: boolean;
  outcomes: readonly TurnOutcome[];
}>;

type TurnOutcome = Readonly<{
  kind: 'finished' | 'stopped' | 'failed' | 'archived' | 'vanished' | 'pull_request';
  atMs: number;
}>;

export function turnsOf(calls: readonly PastCall[]): Turn[] {
  const turns = calls.flatMap(turnOf).sort((a, b) => a.startedAtMs - b.startedAtMs);
  const outcomes = calls.flatMap(outcomesOf);
  return turns.map((turn, index) => {
    const untilMs = turns[index + 1]?.startedAtMs ?? Number.POSITIVE_INFINITY;
    const own = outcomes.filter(({ atMs }) => atMs >= turn.startedAtMs && atMs < untilMs);
    return { ...turn, outcomes: own };
  });
}

function turnOf({ request, state, endedAtMs }: PastCall): Turn[] {
  if (request.kind !== 'create_job' && request.kind !== 'send_message') return [];
  if (endedAtMs === null || (state !== 'done' && state !== 'unknown')) return [];
  const kind = request.kind === 'create_job' ? 'prompt' : 'follow_up';
  return [{ kind, text: request.prompt, startedAtMs: endedAtMs, isAccepted: state === 'done', outcomes: [] }];
}

function outcomesOf({ request, createdAtMs: atMs }: PastCall): TurnOutcome[] {
  if (request.kind !== 'announce') return [];
  const { outcome: kind } = meaningOf(request.announcement);
  const link = announcedLink(request.announcement);
  return [
    ...(kind === undefined ? [] : [{ kind, atMs }]),
    ...(link === null ? [] : [{ kind: 'pull_request' as const, atMs }]),
  ];
}
