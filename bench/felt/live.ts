import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../src/runtime/clock.ts';
import { seededRandom } from '../../test/soak/random.ts';
import { type AgentApi, startAgentApi } from '../../test/support/agent-api/agent-api.ts';
import { type FaultProxy, startFaultProxy } from '../../test/support/fault-proxy.ts';
import { alice, general, type SlackControl, startTestSlack } from '../../test/support/local-slack.ts';
import { createScratch } from '../support/paths.ts';
import { slackApp, startProgram } from '../support/processes.ts';
import type { BenchSettings } from '../support/rounds.ts';
import type { Watched } from './watched.ts';

const API_KEY = 'bench';
const LOOK_EVERY_MS = 100;
const POSTS_EVERY_MS = 5;
/** A job that takes so much longer to be told of never will be. */
const LIMIT_MS = 60_000;
const SHORTEST_MS = 4_000;
const SPREAD_MS = 10_000;

/** How many jobs are open at a time, and how many there are one after the other in the place of each. */
export interface Load {
  readonly openJobs: number;
  readonly rounds: number;
}

export interface Felt extends Watched {
  /** From each command until its card. */
  readonly cardsMs: readonly number[];
}

/** The compiled program with default settings, a stand-in agent API whose jobs end, and the local Slack. */
export async function watchLive(load: Load, settings: BenchSettings, seed: number): Promise<Felt> {
  const random = seededRandom(seed);
  const workMs = new Map<string, number>();
  const agent = await startAgentApi({
    apiKey: API_KEY,
    projectId: slackApp.projectId,
    clock: systemClock,
    script: (prompt) => ({ workMs: workMs.get(prompt) ?? 0, ending: 'pull_request' }),
  });
  const slack = await startTestSlack();
  const proxy = await startFaultProxy({ target: slack.apiUrl });
  const posts = watchPosts(proxy);
  await using scratch = await createScratch();
  try {
    await using _program = await startProgram({
      settings,
      standIns: { slackApiUrl: proxy.apiUrl, agentBaseUrl: agent.baseUrl },
      dataDir: scratch.path,
      env: { SLACK_BOT_TOKEN: slack.botToken, SLACK_APP_TOKEN: slack.appToken },
    });
    const watch = async (place: number) => {
      const felt = [];
      for (let round = 0; round < load.rounds; round += 1) {
        const prompt = `Document endpoint ${place + 1} of version ${round + 1}`;
        workMs.set(prompt, SHORTEST_MS + random() * SPREAD_MS);
        felt.push(await feel(slack.control, posts, agent, prompt, workMs));
      }
      return felt;
    };
    const felt = (
      await Promise.all(Array.from({ length: load.openJobs }, (_, place) => watch(place)))
    ).flat();
    return {
      reads: felt.reduce((sum, { reads }) => sum + reads, 0),
      openMs: felt.reduce((sum, { openMs }) => sum + openMs, 0),
      delaysMs: felt.map(({ delayMs }) => delayMs),
      cardsMs: felt.map(({ cardMs }) => cardMs),
    };
  } finally {
    posts.stop();
    await proxy.close();
    await agent.close();
    await slack.stop();
  }
}

/** Asks for a job, and waits until its thread has the pull request. */
async function feel(
  slack: SlackControl,
  posts: Posts,
  agent: AgentApi,
  prompt: string,
  workMs: ReadonlyMap<string, number>,
) {
  const askedAtMs = Date.now();
  await slack.command({ channel: general, user: alice, text: prompt });
  const job = await until(`a job for “${prompt}”`, () =>
    agent.jobs.find(({ prompts }) => prompts[0] === prompt),
  );
  const endedAtMs = job.createdAtMs + (workMs.get(prompt) ?? 0);
  const link = new RegExp(`/pull/${agent.jobs.indexOf(job) + 1}\\b`);
  const toldAtMs = await until(`the pull request for “${prompt}”`, () => posts.atMs('reply', link));
  const cardAtMs = posts.atMs('card', prompt) ?? Number.NaN;
  const reads = agent.requests.filter(
    ({ method, path, atMs }) => method === 'GET' && path.endsWith(job.id) && atMs <= toldAtMs,
  );
  return {
    reads: reads.length,
    openMs: toldAtMs - job.createdAtMs,
    delayMs: toldAtMs - endedAtMs,
    cardMs: cardAtMs - askedAtMs,
  };
}

interface Posts {
  /** When the first message with such a text was posted. */
  atMs(kind: 'card' | 'reply', text: string | RegExp): number | undefined;
  stop(): void;
}

/** Notes when posts arrive, to some milliseconds: the local Slack's own times are in whole seconds. */
function watchPosts(proxy: FaultProxy): Posts {
  const seen: { readonly atMs: number; readonly kind: string; readonly text: string }[] = [];
  const timer = setInterval(() => {
    for (const { args } of proxy.calls('chat.postMessage').slice(seen.length)) {
      const kind = args.thread_ts === undefined ? 'card' : 'reply';
      seen.push({ atMs: Date.now(), kind, text: JSON.stringify(args) });
    }
  }, POSTS_EVERY_MS);
  return {
    atMs: (kind, text) =>
      seen.find(
        (post) =>
          post.kind === kind && (typeof text === 'string' ? post.text.includes(text) : text.test(post.text)),
      )?.atMs,
    stop: () => clearInterval(timer),
  };
}

async function until<T>(what: string, look: () => T | undefined): Promise<T> {
  const endsAtMs = Date.now() + LIMIT_MS;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (Date.now() > endsAtMs) throw new Error(`${what} did not come`);
    await pause(LOOK_EVERY_MS);
  }
}
