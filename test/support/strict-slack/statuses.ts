import { z } from 'zod';
import type { Clock } from '../../../src/runtime/clock.ts';
import { ApiError } from './api-error.ts';
import { strictApp } from './ids.ts';
import { argument, joinedChannel, type Method, method } from './method.ts';

const PROCESSING_MS = 60 * 60_000;
const TITLE_MAX = 200;
const { botUserId } = strictApp;

export const sessionStates = ['active', 'processing', 'suspended', 'closed'] as const;

export interface AgentSession {
  readonly status: (typeof sessionStates)[number];
  readonly sinceMs: number;
}

/** Sessions of an app that is an agent. */
export class AgentSessions {
  /** Whether the app's manifest has an `agent_view`. */
  isAgent = false;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, AgentSession>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  set(channelId: string, threadTs: string, status: AgentSession['status']): void {
    this.#sessions.set(`${channelId}:${threadTs}`, { status, sinceMs: this.#clock.now() });
  }

  /** Null: there is none. */
  get(channelId: string, threadTs: string): AgentSession['status'] | null {
    const session = this.#sessions.get(`${channelId}:${threadTs}`);
    if (session === undefined) return null;
    const isOver = session.status === 'processing' && this.#clock.now() >= session.sinceMs + PROCESSING_MS;
    return isOver ? 'active' : session.status;
  }
}

/** What it says to an app that is no agent is not known: some code. */
const setSessionStatus = method(
  z.strictObject({
    channel_id: argument.text,
    thread_ts: argument.ts,
    status: z.enum(sessionStates),
    title: z.string().max(TITLE_MAX).optional(),
    initiator_user_id: argument.text.optional(),
  }),
  ({ workspace, sessions }, { channel_id: id, thread_ts: threadTs, status }) => {
    if (!sessions.isAgent) throw new ApiError('feature_not_enabled');
    const channel = joinedChannel(workspace, id, botUserId);
    if (channel.log.get(threadTs) === undefined) throw new ApiError('invalid_thread_ts');
    sessions.set(channel.id, threadTs, status);
    return { status };
  },
);

export const statusMethods: Readonly<Record<string, Method>> = {
  'agents.sessions.setStatus': setSessionStatus,
};
