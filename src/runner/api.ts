import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Clock } from '../engine/runtime/clock.ts';
import { parseJson } from '../engine/runtime/exchange.ts';
import { createBodyReader, pathOf } from '../engine/runtime/http-server.ts';
import type { AgentFacts } from './agent.ts';
import { STOPPED_BY_CALLER } from './failures.ts';
import type { RunnerSettings } from './settings.ts';
import { type Job, type Message, type RunnerStore, sha256, type Turn } from './store.ts';

/** What callers that know it may use: see docs/runner.md. */
const CAPABILITIES = 'idempotency, cancel, summary, activity, images';
const PROMPT_MAX = 1_000_000;
const IMAGES_MAX = 8;
const IMAGES_MAX_BYTES = 20 * 1024 * 1024;
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
/** The images in base64, the prompt, and some room. */
const BODY_MAX_BYTES = 32 * 1024 * 1024;
const BODIES_TOGETHER_BYTES = 4 * BODY_MAX_BYTES;
const KEY_MAX = 255;
const KEY_KEPT_MS = 24 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;
/** Of one job, besides the one that runs. */
const WAITING_MAX = 50;

export interface ApiOptions
  extends Pick<RunnerSettings, 'project' | 'repository' | 'branch' | 'apiKey' | 'hourlyLimit'> {
  readonly store: RunnerStore;
  readonly clock: Clock;
  readonly agent: AgentFacts;
  readonly newId: () => string;
  readonly activityOf: (jobId: string) => string | null;
  /** Called when a turn waits. */
  readonly onTurn: () => void;
  /** Ends the job's turn if it runs, and resolves when it has ended. */
  readonly stopTurn: (turn: Pick<Turn, 'number' | 'job_id'>) => Promise<void>;
  /** A fault of this program. */
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

const image = z.object({
  name: z.string().max(255),
  mimeType: z.enum(IMAGE_TYPES, `must be one of ${IMAGE_TYPES.join(', ')}`),
  data: z.base64('must be base64'),
});
const message = z.object({
  prompt: z
    .string('is missing')
    .max(PROMPT_MAX, `is longer than ${PROMPT_MAX} characters`)
    .refine((prompt) => prompt.trim() !== '', 'must not be empty'),
  images: z
    .array(image)
    .max(IMAGES_MAX, `are more than ${IMAGES_MAX}`)
    .refine(
      (images) =>
        images.reduce((bytes, { data }) => bytes + Buffer.byteLength(data, 'base64'), 0) <= IMAGES_MAX_BYTES,
      `are more than ${IMAGES_MAX_BYTES} bytes`,
    )
    .default([]),
});

const NO_MESSAGE = 'The body must be a JSON object with a prompt.';
const PATH = /^\/v2\/agent\/([^/]+)\/job(?:\/([^/]+)(?:\/(message|cancel))?)?$/;

/** Answers the requests of the agent API: docs/agent-api.openapi.yml. */
export function agentApi(options: ApiOptions): (request: IncomingMessage, response: ServerResponse) => void {
  const bodies = createBodyReader(BODIES_TOGETHER_BYTES);
  const expected = Buffer.from(sha256(options.apiKey));

  const isCaller = ({ headers }: IncomingMessage): boolean => {
    const [, key = ''] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? [];
    return timingSafeEqual(Buffer.from(sha256(key)), expected);
  };

  async function answer(request: IncomingMessage): Promise<Answer> {
    if (request.method === 'GET' && ['/livez', '/readyz'].includes(pathOf(request)))
      return { status: 200, body: { ok: true } };
    if (!isCaller(request)) throw new Refusal(401, 'The API key is missing or wrong.');
    const [, project, jobId = null, action = ''] = PATH.exec(pathOf(request)) ?? [];
    const isKnown = project === encodeURIComponent(options.project);
    const route = isKnown && `${request.method} ${jobId === null ? 'all' : 'one'} ${action}`.trim();
    if (route === 'POST all') return take(request, null);
    if (jobId !== null && route === 'GET one') return show(jobId);
    if (jobId !== null && route === 'POST one message') return take(request, jobId);
    if (jobId !== null && route === 'POST one cancel') return cancel(jobId);
    throw new Refusal(404, 'There is no such path or project.');
  }

  async function show(jobId: string): Promise<Answer> {
    return { status: 200, body: await options.store.transaction((tx) => read(tx, jobId)) };
  }

  async function read(tx: RunnerStore, jobId: string): Promise<object> {
    const job = await ownJob(tx, jobId);
    return jobAnswer(job, await tx.openTurns(jobId), options);
  }

  async function ownJob(tx: RunnerStore, jobId: string): Promise<Job> {
    const job = await tx.job(jobId);
    if (job === null || job.project !== options.project)
      throw new Refusal(404, `There is no job ${jobId.slice(0, KEY_MAX)}.`);
    return job;
  }

  /** A create (no job yet) or a message: stored once for each `Idempotency-Key`, then answered. */
  async function take(request: IncomingMessage, jobId: string | null): Promise<Answer> {
    const body = await bodies.read(request, BODY_MAX_BYTES);
    if (!Buffer.isBuffer(body)) throw new Refusal(body.status, `The request was not taken: ${body.reason}.`);
    const given = messageIn(body);
    const { 'idempotency-key': ownKey } = request.headers;
    if (ownKey !== undefined && (typeof ownKey !== 'string' || ownKey === '' || ownKey.length > KEY_MAX))
      throw new Refusal(400, `Idempotency-Key must have 1 to ${KEY_MAX} characters.`);
    const key =
      ownKey === undefined ? options.newId() : sha256(`${options.project} ${jobId ?? ''} ${ownKey}`);
    const status = jobId === null ? 201 : 200;
    const nowMs = options.clock.now();
    const result = await options.store.transaction(async (tx): Promise<Answer> => {
      await tx.forgetCalls(nowMs - KEY_KEPT_MS);
      const before = await tx.call(key);
      if (before !== null) {
        if (before.body_hash !== sha256(body))
          throw new Refusal(422, 'This Idempotency-Key was used with another body.');
        return { status, body: JSON.parse(before.answer) };
      }
      const known = jobId === null ? null : await ownJob(tx, jobId);
      if (given.images.length > 0 && !options.agent.takesImages)
        throw new Refusal(422, 'The agent takes no images.');
      await refuseBeyondLimit(tx, nowMs);
      const waiting = known === null ? [] : await tx.openTurns(known.id);
      if (waiting.length > WAITING_MAX)
        throw new Refusal(429, `${WAITING_MAX} messages of this job wait already.`, 60);
      const id = known?.id ?? options.newId();
      if (known === null) await tx.create(id, options.project, given, nowMs);
      else await tx.addTurn(id, given);
      const answered = await read(tx, id);
      const call = { key, project: options.project, at: nowMs, body_hash: sha256(body) };
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
    const why = issue?.path.length ? `${issue.path.join('.')} ${issue.message}.` : NO_MESSAGE;
    throw new Refusal(400, why);
  }

  async function refuseBeyondLimit(tx: RunnerStore, nowMs: number): Promise<void> {
    const { hourlyLimit } = options;
    if (hourlyLimit === null) return;
    const calls = await tx.callsSince(options.project, nowMs - HOUR_MS);
    const [freeing] = calls.slice(-hourlyLimit);
    if (calls.length < hourlyLimit || freeing === undefined) return;
    const retryAfterS = Math.ceil((freeing + HOUR_MS - nowMs) / 1000);
    throw new Refusal(429, `The limit of ${hourlyLimit} requests an hour is reached.`, retryAfterS);
  }

  async function cancel(jobId: string): Promise<Answer> {
    const open = await options.store.transaction(async (tx) => {
      await ownJob(tx, jobId);
      const turns = await tx.openTurns(jobId);
      await tx.dropWaiting(jobId);
      const stopped = { outcome: 'completed' as const, reason: STOPPED_BY_CALLER, summary: null };
      const isRunning = turns.some(({ state }) => state === 'running');
      if (turns.length > 0 && !isRunning)
        await tx.change(jobId, { ...stopped, rested_at: options.clock.now() });
      return turns;
    });
    for (const { number, state } of open)
      if (state === 'running') await options.stopTurn({ job_id: jobId, number });
    return show(jobId);
  }

  return (request, response) => {
    void answer(request)
      .catch((error: unknown): Answer => {
        if (error instanceof Refusal) return error.answer;
        options.onFailure(error);
        return { status: 500, body: { error: 'The runner failed; its log says why.' } };
      })
      .then(({ status, body, retryAfterS }) => {
        // What is left of a body that was refused is not read.
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

function jobAnswer(job: Job, open: readonly Pick<Turn, 'state'>[], options: ApiOptions): object {
  const isActive = open.length > 0;
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    id: job.id,
    status: isActive ? 'active' : job.archived_at === null ? job.outcome : 'archived',
    source: { repository: options.repository, ref: options.branch },
    model: options.agent.name,
    prLink: isActive ? null : job.pr_link,
    createdAt: time(job.created_at),
    archivedAt: time(job.archived_at),
    summary: isActive ? null : job.summary,
    activity: isActive ? options.activityOf(job.id) : null,
    reason: isActive ? null : job.reason,
    queued: open.filter(({ state }) => state === 'waiting').length,
  };
}
