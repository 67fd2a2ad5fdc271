import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#runtime/clock.ts';
import { parseJson } from '#runtime/exchange.ts';
import { createBodyReader, pathOf } from '#runtime/http-server.ts';
import type { AgentFacts } from './agent.ts';
import { reasonOf, STOPPED_BY_CALLER } from './failures.ts';
import { type Message, message } from './message.ts';
import type { RunnerSettings } from './settings.ts';
import { type Job, type RunnerStore, sha256, type Turn } from './store.ts';

/** See docs/runner.md. */
const CAPABILITIES = 'idempotency, cancel, summary, activity, images';
/** For images in base64. */
const BODY_MAX_BYTES = 32 * 1024 * 1024;
const KEY_MAX = 255;
const KEY_KEPT_MS = 24 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;
/** Per job, besides the running one. */
const WAITING_MAX = 50;

export interface ApiProject {
  readonly id: string;
  readonly source: { readonly repository: string; readonly ref: string | null };
  readonly facts: AgentFacts;
}

export interface ApiOptions extends Pick<RunnerSettings, 'apiKey' | 'hourlyLimit'> {
  readonly projects: readonly ApiProject[];
  readonly store: RunnerStore;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly activityOf: (jobId: string) => string | null;
  readonly onTurn: () => void;
  /** Resolves when the turn has ended. */
  readonly stopTurn: (turn: Pick<Turn, 'number' | 'jobId'>) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

interface Answer {
  readonly status: number;
  readonly body: object;
  readonly retryAfterS?: number;
}

class Refusal extends Error {
  readonly answer: Answer;

  constructor(status: number, error: string, retryAfterS?: number) {
    super(error);
    this.answer = { status, body: { error }, ...(retryAfterS !== undefined && { retryAfterS }) };
  }
}

const NO_MESSAGE = 'The body must be a JSON object with a prompt.';
const PATH = /^\/v2\/agent\/([^/]+)\/job(?:\/([^/]+)(?:\/(message|cancel))?)?$/;

/** docs/agent-api.openapi.yml */
export function agentApi(options: ApiOptions): (request: IncomingMessage, response: ServerResponse) => void {
  const bodies = createBodyReader(4 * BODY_MAX_BYTES);
  const expected = Buffer.from(sha256(options.apiKey));

  async function answer(request: IncomingMessage): Promise<Answer> {
    if (request.method === 'GET' && ['/livez', '/readyz'].includes(pathOf(request)))
      return { status: 200, body: { ok: true } };
    const [, key = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (!timingSafeEqual(Buffer.from(sha256(key)), expected))
      throw new Refusal(401, 'The API key is missing or wrong.');
    const [, id, jobId = null, action = ''] = PATH.exec(pathOf(request)) ?? [];
    const project = options.projects.find((one) => encodeURIComponent(one.id) === id);
    if (project !== undefined) {
      const route = `${request.method} ${jobId === null ? 'all' : 'one'} ${action}`.trim();
      if (route === 'POST all') return take(request, project, null);
      if (jobId !== null && route === 'GET one') return show(project, jobId);
      if (jobId !== null && route === 'POST one message') return take(request, project, jobId);
      if (jobId !== null && route === 'POST one cancel') return cancel(project, jobId);
    }
    throw new Refusal(404, 'There is no such path or project.');
  }

  async function show(project: ApiProject, jobId: string): Promise<Answer> {
    return { status: 200, body: await options.store.transaction((tx) => read(tx, project, jobId)) };
  }

  async function read(tx: RunnerStore, project: ApiProject, jobId: string): Promise<object> {
    const job = await ownJob(tx, project, jobId);
    const open = await tx.openTurns(jobId);
    const isActive = open.length > 0;
    const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
    return {
      id: job.id,
      status: isActive ? 'active' : job.archivedAt === null ? job.outcome : 'archived',
      source: project.source,
      model: project.facts.name,
      prLink: isActive ? null : job.prLink,
      createdAt: time(job.createdAt),
      archivedAt: time(job.archivedAt),
      summary: isActive ? null : job.summary,
      activity: isActive ? options.activityOf(job.id) : null,
      reason: isActive ? null : job.reason,
      queued: open.filter(({ state }) => state === 'waiting').length,
    };
  }

  async function ownJob(tx: RunnerStore, project: ApiProject, jobId: string): Promise<Job> {
    const job = await tx.job(jobId);
    if (job === null || job.project !== project.id)
      throw new Refusal(404, `There is no job ${jobId.slice(0, KEY_MAX)}.`);
    return job;
  }

  /** A create (`jobId` null) or message, once per `Idempotency-Key`. */
  async function take(request: IncomingMessage, project: ApiProject, jobId: string | null): Promise<Answer> {
    const body = await bodies.read(request, BODY_MAX_BYTES);
    if (!Buffer.isBuffer(body)) throw new Refusal(body.status, `The request was not taken: ${body.reason}.`);
    const given = messageIn(body);
    const { 'idempotency-key': ownKey } = request.headers;
    if (ownKey !== undefined && (typeof ownKey !== 'string' || ownKey === '' || ownKey.length > KEY_MAX))
      throw new Refusal(400, `Idempotency-Key must have 1 to ${KEY_MAX} characters.`);
    const key = ownKey === undefined ? options.newId() : sha256(`${project.id} ${jobId ?? ''} ${ownKey}`);
    const status = jobId === null ? 201 : 200;
    const nowMs = options.clock.now();
    const result = await options.store.transaction(async (tx): Promise<Answer> => {
      await tx.forgetCalls(nowMs - KEY_KEPT_MS);
      const before = await tx.call(key);
      if (before !== null) {
        if (before.bodyHash !== sha256(body))
          throw new Refusal(422, 'This Idempotency-Key was used with another body.');
        return { status, body: JSON.parse(before.answer) };
      }
      const known = jobId === null ? null : await ownJob(tx, project, jobId);
      if (given.images.length > 0 && !project.facts.takesImages)
        throw new Refusal(422, 'The agent takes no images.');
      await refuseBeyondLimit(tx, project, nowMs);
      const waiting = known === null ? [] : await tx.openTurns(known.id);
      if (waiting.length > WAITING_MAX)
        throw new Refusal(429, `${WAITING_MAX} messages of this job wait already.`, 60);
      const id = known?.id ?? options.newId();
      if (known === null) await tx.create(id, project.id, given, nowMs);
      else await tx.addTurn(id, given);
      const answered = await read(tx, project, id);
      const call = { key, project: project.id, at: nowMs, bodyHash: sha256(body) };
      await tx.noteCall({ ...call, answer: JSON.stringify(answered) });
      return { status, body: answered };
    });
    options.onTurn();
    return result;
  }

  function messageIn(body: Buffer): Message {
    const parsed = message.safeParse(parseJson(body.toString()));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new Refusal(400, issue?.path.length ? `${issue.path.join('.')} ${issue.message}.` : NO_MESSAGE);
  }

  async function refuseBeyondLimit(tx: RunnerStore, { id }: ApiProject, nowMs: number): Promise<void> {
    const { hourlyLimit } = options;
    const oldestMs = hourlyLimit && (await tx.nthNewestCallAt(id, hourlyLimit));
    const retryAfterS = Math.ceil(((oldestMs ?? 0) + HOUR_MS - nowMs) / 1000);
    if (retryAfterS > 0)
      throw new Refusal(429, `The limit of ${hourlyLimit} requests an hour is reached.`, retryAfterS);
  }

  async function cancel(project: ApiProject, jobId: string): Promise<Answer> {
    const open = await options.store.transaction(async (tx) => {
      await ownJob(tx, project, jobId);
      const turns = await tx.openTurns(jobId);
      await tx.dropWaiting(jobId);
      const stopped = { outcome: 'completed' as const, reason: STOPPED_BY_CALLER, summary: null };
      const isRunning = turns.some(({ state }) => state === 'running');
      if (turns.length > 0 && !isRunning)
        await tx.change(jobId, { ...stopped, restedAt: options.clock.now() });
      return turns;
    });
    for (const { number, state } of open) if (state === 'running') await options.stopTurn({ jobId, number });
    return show(project, jobId);
  }

  return (request, response) => {
    void answer(request)
      .catch((error: unknown): Answer => {
        if (error instanceof Refusal) return error.answer;
        options.onFailure(error);
        return { status: 500, body: { error: reasonOf(error) } };
      })
      .then(({ status, body, retryAfterS }) => {
        // Doesn't read the rest of a refused body.
        if (!request.complete) response.setHeader('connection', 'close');
        response
          .writeHead(status, {
            'content-type': 'application/json; charset=utf-8',
            'agent-capabilities': CAPABILITIES,
            ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
          })
          .end(JSON.stringify(body));
      });
  };
}
