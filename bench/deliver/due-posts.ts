import type { Announcement } from '../../src/jobs/announcement.ts';
import { openStore, type StoreLocation } from '../../src/store/open.ts';
import { watchedJob } from '../../test/support/watched-jobs.ts';
import { slackApp } from '../support/processes.ts';
import { changeStore } from '../support/stores.ts';

const CHANNELS = 1_000;
const THREADS_PER_COMMIT = 500;
const announcements: readonly Announcement[] = [
  { kind: 'started' },
  {
    kind: 'turn_ended',
    link: { url: 'https://github.com/acme/docs/pull/1', is: 'first' },
    branch: 'agent/quickstart',
    lastedMs: 360_000,
    replies: { count: 0, authors: [] },
    undelivered: null,
  },
];
export const POSTS_PER_THREAD = announcements.length;

/** Fills a store with threads in many channels, in each of which posts are due. */
export async function storeDuePosts(location: StoreLocation, threads: number): Promise<void> {
  const store = await openStore(location);
  const nowMs = Date.now();
  for (let first = 0; first < threads; first += THREADS_PER_COMMIT) {
    await store.transaction(async (tx) => {
      for (let number = first; number < Math.min(first + THREADS_PER_COMMIT, threads); number += 1) {
        const watched = watchedJob(number, slackApp.projectId, nowMs);
        const job = { ...watched, channelId: `C${number % CHANNELS}` };
        const calls = announcements.map((announcement, index) => ({
          id: `post-${number}-${index}`,
          naturalKey: `post:${job.id}:${index + 1}`,
          lane: { to: 'slack', name: `thread:${job.id}` } as const,
          request: { kind: 'announce', announcement } as const,
        }));
        await tx.write({ job, followUps: [], calls, tasks: [] }, nowMs);
      }
    });
  }
  await store.close();
  await changeStore(location, 'create table due_task as select * from task');
}

/** Has them all due again. */
export async function renewDuePosts(location: StoreLocation): Promise<void> {
  await changeStore(
    location,
    `update call set state = 'pending', detail = null, started_at = null, ended_at = null`,
    'delete from task',
    'insert into task select * from due_task',
  );
}
