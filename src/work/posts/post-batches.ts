import type { SettledPost } from '../../store/queries/posts.ts';
import { type ClaimedTask, LeaseLostError, type Transaction } from '../../store/store.ts';
import { oneBatchAtATime } from '../together.ts';
import type { Tools } from '../tools.ts';
import { type DuePost, duePost, duePosts } from './due-post.ts';

/** What the posts of many lanes ask of the store at the same time: one transaction for all of them. */
export interface PostBatches {
  /** The first post of the task's lane that has no outcome. Null: there is none, and the task has ended. */
  next(task: ClaimedTask): Promise<DuePost | null>;
  /** Marks a wanted post as started, before it goes out. Returns the time that is written as its start. */
  start(post: PostInHand): Promise<number>;
  /** Writes an outcome from which nothing follows for the job. Returns what is next in the lane, as `next` does. */
  settle(post: EndedPost): Promise<DuePost | null>;
}

export interface PostInHand {
  readonly task: ClaimedTask;
  readonly callId: string;
}

export interface EndedPost extends PostInHand, SettledPost {}

/** `look_again`: the lane is at its end, but its task was scheduled again, or is just being scheduled. */
type Next = DuePost | 'ended' | 'look_again';

export function postBatches({ store, clock, newContext }: Tools): PostBatches {
  const nexts = oneBatchAtATime((tasks: readonly ClaimedTask[]) =>
    store.transaction((tx) => nextInLanes(tx, tasks)),
  );
  const starts = oneBatchAtATime((posts: readonly PostInHand[]) =>
    store.transaction((tx) =>
      fenced(tx, posts, async (held) => {
        const nowMs = clock.now();
        const started = await tx.posts.start(
          held.map(({ callId }) => callId),
          nowMs,
        );
        return held.map(({ callId }) =>
          started.has(callId) ? nowMs : new Error(`Call ${callId} cannot be started: it is not wanted`),
        );
      }),
    ),
  );
  const ends = oneBatchAtATime((posts: readonly EndedPost[]) =>
    store.transaction((tx) =>
      fenced(tx, posts, async (held) => {
        const settled = await tx.posts.settle(held, clock.now());
        const nexts = await nextInLanes(
          tx,
          held.map(({ task }) => task),
        );
        return held.map(({ callId }, index) =>
          settled.has(callId)
            ? (nexts[index] ?? 'ended')
            : new Error(`Call ${callId} cannot be settled: unknown, or done already`),
        );
      }),
    ),
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
    start: (post) => starts.load(post),
    settle: async (post) => orLookAgain(post.task, await ends.load(post)),
  };
}

/** Does the work for those whose leases are held; the others have lost theirs, and nothing is written for them. */
async function fenced<P extends { readonly task: ClaimedTask }, O>(
  tx: Transaction,
  posts: readonly P[],
  work: (held: readonly P[]) => Promise<(O | Error)[]>,
): Promise<(O | Error)[]> {
  const leases = await tx.posts.fence(posts.map(({ task }) => task.lease));
  const held = posts.filter(({ task }) => leases.has(task.lease));
  const results = await work(held);
  const resultOf = new Map(held.map((post, index) => [post, results[index]]));
  return posts.map((post) => resultOf.get(post) ?? new LeaseLostError(post.task.lease.taskId));
}
