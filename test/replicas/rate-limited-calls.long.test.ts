import { expect, test } from 'vitest';
import { serveHttp } from '../agent/support.ts';
import { alice, general } from '../support/local-slack.ts';
import { describeReplicas, startReplicas } from './support/replicas.ts';

const REQUESTS = 12;
const SPACING_MS = 3_000;
/** Until the refusal is stored, the other replica may send a call; on a busy machine that takes its time. */
const TOLERANCE_MS = 1_000;

interface Tried {
  readonly prompt: string;
  readonly atMs: number;
  /** Null: it was taken. */
  readonly notBeforeMs: number | null;
}

/** An agent API that takes one call in 3 s, and says when it takes the next. */
async function serveLimitedAgent() {
  const tried: Tried[] = [];
  let freeAtMs = 0;
  const server = await serveHttp(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.setHeader('content-type', 'application/json');
    const id = request.url?.split('/').at(-1) ?? '';
    if (request.method === 'GET') return response.end(JSON.stringify({ id, status: 'active' }));
    const { prompt } = JSON.parse(Buffer.concat(chunks).toString());
    const atMs = Date.now();
    if (atMs < freeAtMs) {
      tried.push({ prompt, atMs, notBeforeMs: freeAtMs });
      response.writeHead(429, { 'retry-after': String((freeAtMs - atMs) / 1000) });
      return response.end(JSON.stringify({ error: 'slow down' }));
    }
    freeAtMs = atMs + SPACING_MS;
    tried.push({ prompt, atMs, notBeforeMs: null });
    response.statusCode = 201;
    return response.end(JSON.stringify({ id: `agent-${tried.length}`, status: 'active' }));
  });
  return { ...server, tried };
}

describeReplicas('two replicas and an agent that limits the rate of calls', (serverUrl) => {
  test('keep one line: requests go out in their order, few are refused, and none goes out in a pause (F2)', async () => {
    await using agent = await serveLimitedAgent();
    await using world = await startReplicas(serverUrl, { AGENT_BASE_URL: agent.baseUrl });
    await world.start();
    await world.start();
    const asked = () => world.query(`select id from call where kind = 'create_job'`);
    for (let number = 0; number < REQUESTS; number += 1) {
      await world.slack.command({ channel: general, user: alice, text: `Document endpoint ${number}` });
      await expect.poll(asked, { message: 'the request to wait' }).toHaveLength(number + 1);
    }
    const taken = () => agent.tried.filter(({ notBeforeMs }) => notBeforeMs === null);
    await expect.poll(taken, { message: 'all to be taken', timeout: 120_000 }).toHaveLength(REQUESTS);
    const inOrder = Array.from({ length: REQUESTS }, (_, number) => `Document endpoint ${number}`);
    expect(taken().map(({ prompt }) => prompt)).toEqual(inOrder);
    expect(agent.tried.length - REQUESTS).toBeLessThanOrEqual(REQUESTS);
    const inPauses = agent.tried.filter(({ atMs }) =>
      agent.tried.some(
        (refused) =>
          refused.notBeforeMs !== null &&
          atMs > refused.atMs + TOLERANCE_MS &&
          atMs < refused.notBeforeMs - TOLERANCE_MS,
      ),
    );
    expect(inPauses).toEqual([]);
  });
});
