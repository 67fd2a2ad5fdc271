import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Clock } from '../../../src/runtime/clock.ts';
import { type AgentTook, machineTimeMs } from '../invariants/world.ts';
import { answer, type Fault, type Operation, type Reply } from './fault.ts';
import { findRoute, type Route } from './route.ts';
import { type Capability, type Finish, type Script, ScriptedJob } from './scripted-job.ts';

export interface AgentApiOptions {
  /** Of all projects, or of each. */
  readonly apiKey: string | ((projectId: string) => string);
  readonly projectId: string;
  /** Others that it has. Default: none. */
  readonly otherProjectIds?: readonly string[];
  readonly clock: Clock;
  /** Default: any free port. */
  readonly port?: number;
  readonly script: Script;
  /** What it offers besides the seed, and announces. Default: nothing. */
  readonly announces?: readonly Capability[];
}

export type AgentApi = Awaited<ReturnType<typeof startAgentApi>>;

export interface AgentApiJob {
  readonly id: string;
  readonly projectId: string;
  /** The prompt, then the follow-ups. */
  readonly prompts: readonly string[];
  readonly createdAtMs: number;
  /** When its work ends, or has ended, by its script. */
  readonly endsAtMs: readonly number[];
}

export interface IncomingRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly prompt: string | null;
  /** The `Idempotency-Key`; absent: none. */
  readonly key?: string | undefined;
  /** Of which the key recognises a repetition. Default: the prompt */
  readonly body?: string;
  /** Not of a test that acts as somebody else. */
  readonly isPrograms?: boolean;
}

export interface AgentApiImage {
  readonly name: string;
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

export interface AgentApiRequest {
  readonly method: string;
  readonly path: string;
  /** The prompt in the body, or null. */
  readonly prompt: string | null;
  /** Absent: none. */
  readonly images?: readonly AgentApiImage[];
  /** The `Idempotency-Key`; absent: none. */
  readonly key?: string | undefined;
  readonly atMs: number;
}

/**
 * A stand-in for the agent API: HTTP as documented, jobs from a script, and faults on demand. Fails if the port
 * cannot be had.
 */
export async function startAgentApi(options: AgentApiOptions) {
  const { apiKey, projectId, otherProjectIds = [], clock, port = 0, script } = options;
  const { announces = [] } = options;
  const jobs = new Map<string, ScriptedJob>();
  const requests: AgentApiRequest[] = [];
  const taken: AgentTook[] = [];
  const counts = { create: 0, message: 0, cancel: 0, get: 0 };
  const faults: Record<Operation, Fault[]> = { create: [], message: [], cancel: [], get: [] };
  const answered = new Map<string, { readonly body: string | null; readonly reply: Reply }>();
  let outage: Fault | null = null;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const body = await text(request);
    const { prompt, images } = readMessage(body);
    const key = headers['idempotency-key']?.toString();
    requests.push({
      ...{ method, path, prompt },
      ...(images.length > 0 && { images }),
      ...(key !== undefined && { key }),
      atMs: clock.now(),
    });
    const route = findRoute(method, path);
    if (route) counts[route.operation] += 1;
    const fault = outage ?? (route ? faults[route.operation].shift() : undefined);
    const { authorization } = headers;
    if (announces.length > 0) response.setHeader('agent-capabilities', announces.join(', '));
    const isPrograms = headers['user-agent'] === 'docs-agent';
    answer(response, fault, () => take({ method, path, authorization, prompt, key, body, isPrograms }));
  }

  function take({ authorization, key, ...request }: IncomingRequest): Reply {
    const { method, path, prompt, body = prompt ?? '' } = request;
    const route = findRoute(method, path);
    const wanted = typeof apiKey === 'string' ? apiKey : apiKey(route?.projectId ?? '');
    if (authorization !== `Bearer ${wanted}`) return refuse(401, 'Invalid API key');
    return key !== undefined && announces.includes('idempotency')
      ? processOnce(`${path} ${key}`, () => processNoted(route, request), body)
      : processNoted(route, request);
  }

  function processOnce(key: string, processIt: () => Reply, sent: string): Reply {
    const before = answered.get(key);
    if (before === undefined) {
      const reply = processIt();
      if (reply.status < 400) answered.set(key, { body: sent, reply });
      return reply;
    }
    const { status, body } = before.reply;
    return before.body === sent ? { status, body } : refuse(422, 'Another body had this key');
  }

  function processNoted(
    route: Route | null,
    { prompt, isPrograms = false }: Pick<IncomingRequest, 'prompt' | 'isPrograms'>,
  ) {
    const reply = process(route, prompt);
    if (!isPrograms || route === null || route.operation === 'get' || reply.status >= 400) return reply;
    const { operation, projectId } = route;
    const { id } = reply.body as { id: string };
    taken.push({ to: 'agent', operation, projectId, agentJobId: id, prompt, atMs: machineTimeMs() });
    return reply;
  }

  function process(route: Route | null, prompt: string | null): Reply {
    if (route === null) return refuse(404, 'Not found');
    if (![projectId, ...otherProjectIds].includes(route.projectId)) return refuse(404, 'Project not found');
    if (route.operation === 'create')
      return prompt ? create(route.projectId, prompt) : refuse(400, 'Prompt is required');
    const job = jobs.get(route.jobId);
    if (job?.projectId !== route.projectId) return refuse(404, 'Job not found');
    if (route.operation === 'cancel')
      return announces.includes('cancel') ? cancel(job) : refuse(404, 'Not found');
    if (route.operation === 'get') return { status: 200, body: describe(job) };
    return prompt ? sendTo(200, job, prompt) : refuse(400, 'Prompt is required');
  }

  function create(projectId: string, prompt: string): Reply {
    const { refusal } = script(prompt, 1);
    if (refusal !== undefined) return refuse(400, refusal);
    const job = new ScriptedJob(`job_${randomUUID()}`, projectId, jobs.size + 1, script, clock.now());
    jobs.set(job.id, job);
    return sendTo(201, job, prompt);
  }

  function sendTo(status: number, job: ScriptedJob, prompt: string): Reply {
    job.send(prompt, clock.now());
    return { status, body: describe(job) };
  }

  function cancel(job: ScriptedJob): Reply {
    if (job.isActiveAt(clock.now()))
      job.finish({ status: 'completed', reason: 'Stopped by a caller.' }, clock.now());
    return { status: 200, body: describe(job) };
  }

  function describe(job: ScriptedJob): object {
    return job.describe(clock.now(), announces);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${boundPort}`,
    /** The oldest first. */
    get jobs(): readonly AgentApiJob[] {
      return [...jobs.values()];
    },
    /** All that arrived, also what was refused or met a fault; the oldest first. */
    requests: requests as readonly AgentApiRequest[],
    /** What it carried out for the program, whether or not the answer arrived. */
    taken: taken as readonly AgentTook[],
    /** How many requests of each kind arrived. */
    counts: counts as Readonly<Record<Operation, number>>,
    /**
     * Gives a job this state from now on, until the next follow-up. Ends `manual` turns, and can also
     * archive an ended job, say. By its id, or by its place in `jobs`. Throws if there is no such job.
     */
    finish: (which: string | number, finish: Finish) => {
      const job = typeof which === 'string' ? jobs.get(which) : [...jobs.values()].at(which);
      if (!job) throw new Error(`no job ${which}`);
      job.finish(finish, clock.now());
    },
    /** Says what the agent does now, where that is announced. Throws if there is no such job. */
    doing: (jobId: string, activity: string | null) => {
      const job = jobs.get(jobId);
      if (!job) throw new Error(`no job ${jobId}`);
      job.activity = activity;
    },
    /** The next requests of this kind meet these faults, one each, in this order. */
    failNext: (operation: Operation, ...more: readonly Fault[]) => {
      faults[operation].push(...more);
    },
    /** From now on all requests meet this fault, an outage, until it is null. */
    failAll: (fault: Fault | null) => {
      outage = fault;
    },
    /** What the API says to a request that reaches it by another way than its port. It meets no faults. */
    take,
    /** Breaks all connections, and refuses others. */
    close: async () => {
      const closed = server.listening ? once(server, 'close') : null;
      server.close();
      server.closeAllConnections();
      await closed;
    },
    /** Takes connections again. */
    reopen: async () => {
      server.listen(boundPort, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}

function refuse(status: number, error: string): Reply {
  return { status, body: { error } };
}

function readMessage(body: string): { prompt: string | null; images: readonly AgentApiImage[] } {
  try {
    const { prompt, images }: { prompt?: unknown; images?: readonly AgentApiImage[] } = JSON.parse(body);
    return { prompt: typeof prompt === 'string' ? prompt : null, images: images ?? [] };
  } catch {
    return { prompt: null, images: [] };
  }
}
