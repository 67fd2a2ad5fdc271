import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

const DESCRIPTION = new URL('../../../docs/agent-api.openapi.yml', import.meta.url);
const POLL_INTERVAL_MS = 200;

export interface Service {
  /** Without a trailing slash. */
  readonly url: string;
  readonly key: string;
  readonly projectId: string;
  /** What a job is asked for, which the agent should do soon. */
  readonly prompt: string;
  /** How long a turn may take. */
  readonly withinMs: number;
}

export interface Check {
  /** What the service does. */
  readonly title: string;
  /** Null: every service has to. */
  readonly capability: string | null;
  /** Throws what is wrong. */
  readonly run: (api: Api) => Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly capabilities: readonly string[];
}

const description: unknown = parse(readFileSync(DESCRIPTION, 'utf8'));
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(description as object, 'api');

/** A service of the agent API, and one job of it that all checks share. */
export class Api {
  readonly #service: Service;
  #job: Promise<Answer> | null = null;

  constructor(service: Service) {
    this.#service = service;
  }

  get prompt(): string {
    return this.#service.prompt;
  }

  async call(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const { url, key, projectId } = this.#service;
    const response = await fetch(`${url}/v2/agent/${encodeURIComponent(projectId)}/job${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const announced = response.headers.get('agent-capabilities') ?? '';
    return {
      status: response.status,
      body: (await response.json()) as Record<string, unknown>,
      capabilities: announced.split(',').flatMap((name) => name.trim() || []),
    };
  }

  /** The first job, created once. */
  job(): Promise<Answer> {
    this.#job ??= this.call('POST', '', { prompt: this.#service.prompt });
    return this.#job;
  }

  async id(): Promise<string> {
    return String((await this.job()).body.id);
  }

  async capabilities(): Promise<readonly string[]> {
    return (await this.job()).capabilities;
  }

  /** The job once no turn runs or waits. Throws if that takes too long. */
  async rested(id: string): Promise<Answer> {
    const endMs = Date.now() + this.#service.withinMs;
    for (;;) {
      const answer = await this.call('GET', `/${id}`);
      if (answer.body.status !== 'active') return answer;
      if (Date.now() > endMs) throw new Error(`the job is still active after ${this.#service.withinMs} ms`);
      await sleep(POLL_INTERVAL_MS);
    }
  }
}

function expectStatus({ status, body }: Answer, ...expected: readonly number[]): void {
  if (!expected.includes(status))
    throw new Error(`expected ${expected.join(' or ')}, but got ${status}: ${JSON.stringify(body)}`);
}

function expectShape({ body }: Answer, name: 'Job' | 'Error'): void {
  const validate = ajv.getSchema(`api#/components/schemas/${name}`);
  if (validate === undefined) throw new Error(`the description has no ${name}`);
  if (!validate(body)) throw new Error(`${ajv.errorsText(validate.errors)}: ${JSON.stringify(body)}`);
}

function expectRefusal(answer: Answer, ...expected: readonly number[]): void {
  expectStatus(answer, ...expected);
  expectShape(answer, 'Error');
}

function expectEqual(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected)
    throw new Error(`${what} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`);
}

const seed: readonly Omit<Check, 'capability'>[] = [
  {
    title: 'answers a request with 201 and an active job',
    run: async (api) => {
      const created = await api.job();
      expectStatus(created, 201);
      expectShape(created, 'Job');
      expectEqual(created.body.status, 'active', 'status');
      expectEqual(created.body.prLink, null, 'prLink');
    },
  },
  {
    title: 'answers a read with 200 and the same job',
    run: async (api) => {
      const read = await api.call('GET', `/${await api.id()}`);
      expectStatus(read, 200);
      expectShape(read, 'Job');
      expectEqual(read.body.id, await api.id(), 'id');
    },
  },
  {
    title: 'ends the job',
    run: async (api) => expectShape(await api.rested(await api.id()), 'Job'),
  },
  {
    title: 'takes a message with 200, and the job is active again',
    run: async (api) => {
      const id = await api.id();
      await api.rested(id);
      const sent = await api.call('POST', `/${id}/message`, { prompt: api.prompt });
      expectStatus(sent, 200);
      expectShape(sent, 'Job');
      expectEqual(sent.body.status, 'active', 'status');
      await api.rested(id);
    },
  },
  {
    title: 'refuses a wrong key',
    run: async (api) =>
      expectRefusal(await api.call('POST', '', { prompt: 'x' }, { authorization: 'Bearer wrong' }), 401, 403),
  },
  {
    title: 'knows no job that it did not create',
    run: async (api) => {
      expectRefusal(await api.call('GET', `/${randomUUID()}`), 404);
      expectRefusal(await api.call('POST', `/${randomUUID()}/message`, { prompt: 'x' }), 404);
    },
  },
  ...(['', '{', '[]', '{}', '{"prompt":1}', '{"prompt":""}'] as const).map((body) => ({
    title: `refuses the body ${body || '(none)'}`,
    run: async (api: Api) => expectRefusal(await api.call('POST', '', body), 400),
  })),
];

const KEYED = 'Idempotency-Key';

const extras: Readonly<Record<string, readonly Omit<Check, 'capability'>[]>> = {
  idempotency: [
    {
      title: 'starts one job for a key, and refuses another body',
      run: async (api) => {
        const headers = { [KEYED]: randomUUID() };
        const ask = (prompt: string) => api.call('POST', '', { prompt }, headers);
        const [first, second] = await Promise.all([ask(api.prompt), ask(api.prompt)]);
        expectStatus(first, 201);
        expectStatus(second, 201);
        expectEqual(second.body.id, first.body.id, 'id');
        expectRefusal(await ask(`${api.prompt}!`), 422);
        await api.rested(String(first.body.id));
      },
    },
    {
      title: 'sends a message once for a key',
      run: async (api) => {
        const id = await api.id();
        await api.rested(id);
        const headers = { [KEYED]: randomUUID() };
        const send = () => api.call('POST', `/${id}/message`, { prompt: api.prompt }, headers);
        const [first, second] = [await send(), await send()];
        expectEqual(JSON.stringify(second.body), JSON.stringify(first.body), 'the second answer');
        await api.rested(id);
      },
    },
  ],
  cancel: [
    {
      title: 'ends what runs and drops what waits',
      run: async (api) => {
        const created = await api.call('POST', '', { prompt: api.prompt });
        const id = String(created.body.id);
        await api.call('POST', `/${id}/message`, { prompt: api.prompt });
        const cancelled = await api.call('POST', `/${id}/cancel`);
        expectStatus(cancelled, 200);
        expectShape(cancelled, 'Job');
        expectEqual(cancelled.body.status, 'completed', 'status');
        expectEqual(cancelled.body.queued, 0, 'queued');
      },
    },
    {
      title: 'knows no other job',
      run: async (api) => expectRefusal(await api.call('POST', `/${randomUUID()}/cancel`), 404),
    },
  ],
  summary: [
    {
      title: 'says what was done, or why not',
      run: async (api) => {
        const { summary, reason } = (await api.rested(await api.id())).body;
        if (typeof summary !== 'string' && typeof reason !== 'string')
          throw new Error('neither summary nor reason is a text');
      },
    },
  ],
  activity: [
    {
      title: 'does nothing once the job has ended',
      run: async (api) => expectEqual((await api.rested(await api.id())).body.activity, null, 'activity'),
    },
  ],
  images: [
    {
      title: 'takes an image, or says that the agent takes none',
      run: async (api) => {
        const image = { name: 'dot.png', mimeType: 'image/png', data: PNG };
        const created = await api.call('POST', '', { prompt: api.prompt, images: [image] });
        expectStatus(created, 201, 422);
        if (created.status === 201) await api.rested(String(created.body.id));
        const nine = await api.call('POST', '', { prompt: api.prompt, images: Array(9).fill(image) });
        expectRefusal(nine, 400);
        const other = { ...image, mimeType: 'image/tiff' };
        expectRefusal(await api.call('POST', '', { prompt: api.prompt, images: [other] }), 400);
      },
    },
  ],
};

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const checks: readonly Check[] = [
  ...seed.map((check) => ({ ...check, capability: null })),
  ...Object.entries(extras).flatMap(([capability, ofIt]) => ofIt.map((check) => ({ ...check, capability }))),
];

/** What is wrong, in words; null: nothing; undefined: the service does not offer it. */
export async function problemOf({ capability, run }: Check, api: Api): Promise<string | null | undefined> {
  if (capability !== null && !(await api.capabilities()).includes(capability)) return undefined;
  return run(api).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
