import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../support/bench.ts';
import { referencePath } from '../support/build.ts';
import { slackApp, startNode, startProgram } from '../support/processes.ts';
import { type Contender, type Figures, takeTurns } from '../support/rounds.ts';
import { compare } from '../support/rows.ts';
import { type StandIns, startStandIns } from '../support/stand-ins.ts';
import { createStores } from '../support/stores.ts';
import { POSTS_PER_THREAD, renewDuePosts, storeDuePosts } from './due-posts.ts';

const THREADS = 3_000;
const QUICK_THREADS = 200;
/** As the program does. */
const AT_ONCE = 16;
const BARE = 'bare fetch';
const LOOK_EVERY_MS = 20;
const LIMIT_MS = 120_000;

export const deliver: Bench = {
  about: `Posts per second in ${THREADS.toLocaleString('en')} threads of many channels, ${POSTS_PER_THREAD} in each and in order, each once by the ledger, against a loop that only posts, as many at once.`,
  run: async (settings) => {
    const threads = settings.quick ? QUICK_THREADS : THREADS;
    const posts = threads * POSTS_PER_THREAD;
    await using cleanup = new AsyncDisposableStack();
    const standIns = cleanup.use(await startStandIns());
    const bare: Contender = {
      name: BARE,
      measure: async () => {
        const measured = measurePosts(standIns, posts);
        await using _poster = await startNode([referencePath('bare-poster')], {
          SLACK_API_URL: standIns.slackApiUrl,
          SLACK_BOT_TOKEN: slackApp.botToken,
          AT_ONCE: String(AT_ONCE),
        });
        return await measured;
      },
    };
    const ours: Contender[] = [];
    for (const store of await createStores()) {
      const { name, location, env, dataDir } = cleanup.use(store);
      await storeDuePosts(location, threads);
      const measure = async () => {
        await renewDuePosts(location);
        const measured = measurePosts(standIns, posts);
        await using program = await startProgram({ settings, standIns, dataDir, env });
        const figures = await measured;
        await program.stop();
        return figures;
      };
      ours.push({ name, measure });
    }
    const rounds = await takeTurns([bare, ...ours], settings);
    return ours.map(({ name }) =>
      compare(rounds, {
        label: name,
        unit: 'a second',
        ours: [name, 'perSecond'],
        reference: [BARE, 'perSecond'],
        target: { atLeast: 0.6 },
      }),
    );
  },
};

/** From when a fifth of the posts are made until all are. Throws if that does not come. */
async function measurePosts(standIns: StandIns, posts: number): Promise<Figures> {
  const made = async () => (await standIns.counts())['chat.postMessage'] ?? 0;
  const before = await made();
  const endsAtMs = performance.now() + LIMIT_MS;
  const waitFor = async (wanted: number) => {
    for (;;) {
      const count = (await made()) - before;
      const atMs = performance.now();
      if (count >= wanted) return { count, atMs };
      if (atMs > endsAtMs) throw new Error(`only ${count} of ${posts} posts were made`);
      await pause(LOOK_EVERY_MS);
    }
  };
  const first = await waitFor(posts / 5);
  const last = await waitFor(posts);
  return { perSecond: ((last.count - first.count) * 1_000) / (last.atMs - first.atMs) };
}
