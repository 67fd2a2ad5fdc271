import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../src/runtime/clock.ts';
import { type AgentApi, type AgentApiOptions, startAgentApi } from '../agent-api/agent-api.ts';
import { forward, readAll } from '../fault-proxy/forward.ts';

export interface Agents extends AsyncDisposable {
  readonly baseUrl: string;
  /** The API of one project, which takes the key `key-<project>` only. */
  of(projectId: string): AgentApi;
}

/** One agent API with several projects, each with a key of its own. */
export async function startAgents(
  clock: Clock,
  projectIds: readonly string[],
  options: Partial<AgentApiOptions> = {},
): Promise<Agents> {
  const script = () => ({ workMs: 0, ending: 'manual' }) as const;
  const apis = new Map<string, AgentApi>();
  for (const projectId of projectIds) {
    apis.set(
      projectId,
      await startAgentApi({ apiKey: `key-${projectId}`, projectId, clock, script, ...options }),
    );
  }
  const of = (projectId: string) => {
    const api = apis.get(projectId);
    if (api === undefined) throw new Error(`there is no project ${projectId}`);
    return api;
  };
  const server = createServer(async (request, response) => {
    const [, projectId = ''] = /^\/v2\/agent\/([^/]+)\//.exec(request.url ?? '') ?? [];
    const body = await readAll(request);
    const answer = await forward(request, of(projectId).baseUrl + request.url, body).catch(() => null);
    if (answer === null) return void response.destroy();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    of,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      for (const api of apis.values()) await api.close();
    },
  };
}
