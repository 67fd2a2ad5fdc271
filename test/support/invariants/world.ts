import type { IncomingMessage } from 'node:http';
import type { CallRequest } from '../../../src/jobs/call.ts';
import type { Job } from '../../../src/jobs/job.ts';
import type { SlackCall } from '../fault-proxy/call.ts';
import type { CallRow, JobRows } from './rows.ts';

/** A call of the program that a stand-in carried out, whether or not the answer arrived. */
export type OutwardCall = AgentTook | SlackTook;

export interface AgentTook {
  readonly to: 'agent';
  readonly operation: 'create' | 'message' | 'cancel';
  readonly projectId: string;
  readonly agentJobId: string;
  readonly prompt: string | null;
  readonly atMs: number;
}

export interface SlackTook {
  readonly to: 'slack';
  readonly method: string;
  readonly teamId: string;
  /** Empty: none. */
  readonly channel: string;
  /** Of the ledger, where the call is a post. */
  readonly callId: string | null;
  readonly atMs: number;
}

/** The same in all processes of a machine, whatever their clocks are set to. */
export function machineTimeMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Notes a call of Slack's Web API, unless it failed, or is by a test that acts as somebody else. */
export function noteHappened(
  happened: SlackTook[],
  { headers }: Pick<IncomingMessage, 'headers'>,
  { call, teamId, body }: { readonly call: SlackCall; readonly teamId: string; readonly body: Buffer },
): void {
  const isPrograms = headers['user-agent'] === 'docs-agent';
  if (isPrograms && /"ok":\s*true/.test(body.toString())) happened.push(slackTook(call, teamId));
}

function slackTook({ method, args }: SlackCall, teamId: string): SlackTook {
  const { event_payload: payload } = (args.metadata ?? {}) as { event_payload?: { call_id?: string } };
  const callId = method === 'chat.postMessage' ? (payload?.call_id ?? null) : null;
  return { to: 'slack', method, teamId, channel: String(args.channel ?? ''), callId, atMs: machineTimeMs() };
}

const HOUR_MS = 3_600_000;
const ACCOUNTED: ReadonlySet<string> = new Set(['started', 'done', 'unknown']);

export interface Limits {
  /** Default: 100 */
  readonly hourlyBudget?: number;
  /** By so much, the clocks of the program's processes may differ. Default: 0 */
  readonly clocksDifferMs?: number;
}

/** All that is stored and all that the stand-ins carried out, as far as it was noted. */
export class World {
  readonly hourlyBudget: number;
  readonly clocksDifferMs: number;
  readonly #jobs = new Map<string, JobRows>();
  readonly #owners = new Map<string, string>();
  readonly #notices = new Map<string, Set<string>>();
  readonly #taken = new Map<string, number>();
  /** By what they are made to: the calls that the agent may have taken. */
  readonly #accounted = new Map<string, Set<string>>();
  readonly #starts = new Map<string, Map<string, number>>();
  readonly #posts = new Map<string, number>();
  #lastLook = 0;
  #count = 0;

  constructor({ hourlyBudget = 100, clocksDifferMs = 0 }: Limits) {
    this.hourlyBudget = hourlyBudget;
    this.clocksDifferMs = clocksDifferMs;
  }

  job(jobId: string): JobRows | null {
    return this.#jobs.get(jobId) ?? null;
  }

  /** Of all jobs that are stored. */
  rows(): readonly JobRows[] {
    return [...this.#jobs.values()];
  }

  callRow(callId: string): CallRow | null {
    return this.ownerOf(callId)?.call ?? null;
  }

  ownerOf(callId: string): { readonly job: Job; readonly call: CallRow } | null {
    const rows = this.#jobs.get(this.#owners.get(callId) ?? '');
    const call = rows?.calls.find(({ id }) => id === callId);
    return rows === undefined || call === undefined ? null : { job: rows.job, call };
  }

  noticesLike(teamId: string, request: CallRequest): string[] {
    return [...(this.#notices.get(noticeKey(teamId, request)) ?? [])];
  }

  takenBy(to: string, operation: string): number {
    return this.#taken.get(`${operation} ${to}`) ?? 0;
  }

  accountedFor(to: string, operation: string): number {
    return this.#accounted.get(`${operation} ${to}`)?.size ?? 0;
  }

  startsWithinHour(projectId: string, untilMs: number): number {
    const starts = [...(this.#starts.get(projectId)?.values() ?? [])];
    return starts.filter((atMs) => atMs > untilMs - HOUR_MS && atMs <= untilMs).length;
  }

  lastPostOf(callId: string): number | null {
    return this.#posts.get(callId) ?? null;
  }

  hasLookedSince(post: number): boolean {
    return this.#lastLook > post;
  }

  /** What was deleted stays known as it was. */
  note(jobId: string, rows: JobRows | null): void {
    if (rows === null) return void this.#jobs.delete(jobId);
    this.#jobs.set(jobId, rows);
    const { job } = rows;
    for (const call of rows.calls) {
      this.#owners.set(call.id, jobId);
      const { id, request, state, startedAt } = call;
      if (request.kind === 'notify_channel' && state === 'done') {
        setIn(this.#notices, noticeKey(job.teamId, request)).add(id);
      }
      if (request.kind !== 'create_job' && request.kind !== 'send_message') continue;
      const to = request.kind === 'create_job' ? `create ${job.projectId}` : `message ${request.agentJobId}`;
      const counted = setIn(this.#accounted, to);
      if (ACCOUNTED.has(state)) counted.add(id);
      else counted.delete(id);
      const starts = this.#starts.get(job.projectId) ?? new Map<string, number>();
      this.#starts.set(job.projectId, starts);
      if (startedAt === null) starts.delete(id);
      else starts.set(id, startedAt);
    }
  }

  noteCall(call: OutwardCall): void {
    this.#count += 1;
    if (call.to === 'agent') {
      const to = `${call.operation} ${call.operation === 'create' ? call.projectId : call.agentJobId}`;
      this.#taken.set(to, (this.#taken.get(to) ?? 0) + 1);
    } else if (call.callId !== null) this.#posts.set(call.callId, this.#count);
    else if (/^conversations\.(history|replies)$/.test(call.method)) this.#lastLook = this.#count;
  }
}

function setIn(sets: Map<string, Set<string>>, key: string): Set<string> {
  const found = sets.get(key) ?? new Set();
  sets.set(key, found);
  return found;
}

function noticeKey(teamId: string, request: CallRequest): string {
  return request.kind === 'notify_channel' ? `${teamId} ${request.channelId} ${request.url}` : '';
}
