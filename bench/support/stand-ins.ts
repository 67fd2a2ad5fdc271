import { setTimeout as pause } from 'node:timers/promises';
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

const QUIET_MS = 300;
const QUIET_LIMIT_MS = 30_000;

/** Waits until no more calls come in: the program has done what there was to do. Throws if it goes on and on. */
export async function untilQuiet(standIns: StandIns): Promise<void> {
  let before = await callsIn(standIns);
  for (let waitedMs = 0; waitedMs < QUIET_LIMIT_MS; waitedMs += QUIET_MS) {
    await pause(QUIET_MS);
    const now = await callsIn(standIns);
    if (now === before) return;
    before = now;
  }
  throw new Error(`the program was still at work after ${QUIET_LIMIT_MS / 1_000} s`);
}

export async function callsIn(standIns: StandIns): Promise<number> {
  return Object.values(await standIns.counts()).reduce((all, count) => all + count, 0);
}
