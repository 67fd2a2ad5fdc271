import { setTimeout as pause } from 'node:timers/promises';
import { referencePath } from '../support/build.ts';
import { type StandIns, slackApp, startNode, startProgram, startStandIns } from '../support/processes.ts';
import { rateRows } from '../support/rates.ts';
import type { Bench } from '../support/rows.ts';
import { POSTS_PER_THREAD, renewDuePosts, storeDuePosts } from './due-posts.ts';

const THREADS = 3_000;
const QUICK_THREADS = 200;
/** As the program does. */
const AT_ONCE = 32;
const LOOK_EVERY_MS = 20;
const LIMIT_MS = 120_000;

export const deliver: Bench = {
  about: `Posts per second in ${THREADS.toLocaleString('en')} threads of many channels, ${POSTS_PER_THREAD} in each and in order, each once by the ledger, against a loop that only posts, as many at once.`,
  run: async (settings) => {
    const threads = settings.quick ? QUICK_THREADS : THREADS;
    const posts = threads * POSTS_PER_THREAD;
    await using standIns = await startStandIns();
    const measureBare = async () => {
      const before = await postsMade(standIns);
      await using _poster = await startNode([referencePath('bare-poster')], {
        SLACK_API_URL: standIns.slackApiUrl,
        SLACK_BOT_TOKEN: slackApp.botToken,
        AT_ONCE: String(AT_ONCE),
      });
      return await measurePosts(standIns, before, posts);
    };
    return await rateRows({
      settings,
      reference: { name: 'bare fetch', measure: measureBare },
      prepare: async ({ location, env, dataDir }) => {
        await storeDuePosts(location, threads);
        return async () => {
          await renewDuePosts(location);
          const before = await postsMade(standIns);
          await using program = await startProgram({ settings, standIns, dataDir, env });
          const perSecond = await measurePosts(standIns, before, posts);
          await program.stop();
          return perSecond;
        };
      },
      target: { atLeast: 0.6 },
    });
  },
};

async function postsMade(standIns: StandIns): Promise<number> {
  return (await standIns.counts())['chat.postMessage'] ?? 0;
}

/** From when a fifth of the posts are made until all are. Throws if that does not come. */
async function measurePosts(standIns: StandIns, before: number, posts: number): Promise<number> {
  const endsAtMs = performance.now() + LIMIT_MS;
  const waitFor = async (wanted: number) => {
    for (;;) {
      const count = (await postsMade(standIns)) - before;
      const atMs = performance.now();
      if (count >= wanted) return { count, atMs };
      if (atMs > endsAtMs) throw new Error(`only ${count} of ${posts} posts were made`);
      await pause(LOOK_EVERY_MS);
    }
  };
  const first = await waitFor(posts / 5);
  const last = await waitFor(posts);
  return ((last.count - first.count) * 1_000) / (last.atMs - first.atMs);
}
