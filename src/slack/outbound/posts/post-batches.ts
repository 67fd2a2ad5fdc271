import { oneAtATimeBatcher } from '../../../engine/batcher.ts';
import type { SettledPost } from '../../../store/queries/calls/posts.ts';
import type { ClaimedTask, Transaction } from '../../../store/store.ts';
import type { SlackTools } from '../slack-tools.ts';
import { type DuePost, duePost, duePosts } from './due-post.ts';

/** What the posts of many lanes ask of the store at the same time: one transaction for all of them. */
export interface PostBatches {
  /** The first post of the task's lane that has no outcome. Null: there is none, and the task has ended. */
  next(task: ClaimedTask): Promise<DuePost | null>;
  /** Marks a wanted post as started, before it goes out. Returns the time that is written as its start. */
  start(post: PostInHand): Promise<number>;
  /**
   * Writes an outcome from which nothing follows for the job. Returns what is next in the lane, as `next` does.
   * `not_settled`: nothing was written, and a transaction of its own will tell why.
   */
  settle(post: EndedPost): Promise<DuePost | null | 'not_settled'>;
}

export interface PostInHand {
  readonly task: ClaimedTask;
  readonly callId: string;
}

export interface EndedPost extends PostInHand, SettledPost {}

/** `look_again`: the lane is at its end, but its task was scheduled again, or is just being scheduled. */
type Next = DuePost | 'ended' | 'look_again';

/**
 * A batch waits for no lock: what somebody else has locked is left out, and done in a transaction of its own. So no
 * lane waits for what holds up another.
 */
export function postBatches({
  store,
  clock,
  newContext,
}: Pick<SlackTools, 'store' | 'clock' | 'newContext'>): PostBatches {
  const nexts = oneAtATimeBatcher((tasks: readonly ClaimedTask[]) =>
    store.transaction((tx) => nextInLanes(tx, tasks)),
  );
  const starts = oneAtATimeBatcher((posts: readonly PostInHand[]) =>
    store.transaction(async (tx) => {
      const held = await withLeases(tx, posts);
      const nowMs = clock.now();
      const started = await tx.posts.start(
        held.map(({ callId }) => callId),
        nowMs,
      );
      return posts.map(({ callId }) => (started.has(callId) ? nowMs : 'not_started'));
    }),
  );
  const startAlone = ({ task, callId }: PostInHand) =>
    store.transaction(async (tx) => {
      await tx.tasks.fence(task.lease);
      const nowMs = clock.now();
      await tx.calls.start(callId, nowMs);
      return nowMs;
    });
  const ends = oneAtATimeBatcher((posts: readonly EndedPost[]) =>
    store.transaction(async (tx) => {
      const held = await withLeases(tx, posts);
      const settled = await tx.posts.settle(held, clock.now());
      const tasks = posts.filter(({ callId }) => settled.has(callId)).map(({ task }) => task);
      const nexts = await nextInLanes(tx, tasks);
      return posts.map(({ task }) => nexts[tasks.indexOf(task)] ?? 'not_settled');
    }),
  );
  const nextInLanes = async (tx: Transaction, tasks: readonly ClaimedTask[]): Promise<Next[]> => {
    const lanes = tasks.map(({ subject }) => subject);
    const due = await duePosts(tx, lanes, newContext());
    const leases = tasks.filter(({ subject }) => !due.has(subject)).map(({ lease }) => lease);
    const ended = await tx.posts.endLanes(leases);
    return tasks.map(
      ({ subject, lease }) => due.get(subject) ?? (ended.has(lease.taskId) ? 'ended' : 'look_again'),
    );
  };
  const orLookAgain = async (task: ClaimedTask, next: Next): Promise<DuePost | null> => {
    if (next === 'look_again') return store.transaction((tx) => duePost(tx, task, newContext()));
    return next === 'ended' ? null : next;
  };
  return {
    next: async (task) => orLookAgain(task, await nexts.load(task)),
    start: async (post) => {
      const startedAtMs = await starts.load(post);
      return startedAtMs === 'not_started' ? startAlone(post) : startedAtMs;
    },
    settle: async (post) => {
      const next = await ends.load(post);
      return next === 'not_settled' ? next : orLookAgain(post.task, next);
    },
  };
}

/** Those for which something may be written: the leases are held, and stay so until the transaction ends. */
async function withLeases<P extends PostInHand>(tx: Transaction, posts: readonly P[]): Promise<P[]> {
  const held = await tx.posts.fence(posts.map(({ task }) => task.lease));
  return posts.filter(({ task }) => held.has(task.lease));
}
