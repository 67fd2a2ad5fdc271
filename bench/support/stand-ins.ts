import { inProject } from './paths.ts';
import { startNode } from './processes.ts';

/** Stand-ins for Slack's Web API and the agent API, in a process of their own. */
export interface StandIns extends AsyncDisposable {
  readonly slackApiUrl: string;
  readonly agentBaseUrl: string;
  /** How many calls came in so far, by what was called: `chat.postMessage`, `create`, `message`, `get`. */
  counts(): Promise<Readonly<Record<string, number>>>;
}

export async function startStandIns(): Promise<StandIns> {
  const server = await startNode([inProject('bench/support/stand-ins/server.ts')], {});
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    slackApiUrl: `${origin}/api/`,
    agentBaseUrl: origin,
    counts: async () => (await (await fetch(`${origin}/counts`)).json()) as Record<string, number>,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
