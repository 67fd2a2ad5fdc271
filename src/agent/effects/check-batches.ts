import { batcher } from '../../engine/batcher.ts';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { CardRefresh, UnchangedCheck, WatchedJob } from '../../store/queries/tasks/checks.ts';
import type { Store, Transaction } from '../../store/store.ts';

/** So long, checks that found nothing new are gathered: one transaction does for all of them. */
const GATHERED_FOR_MS = 5;

/** What many checks ask of the store at the same time: one transaction for all of them. */
export interface CheckBatches {
  /** The job, or null if there is none. */
  read(jobId: string): Promise<WatchedJob | null>;
  /** Writes that nothing follows but the next check. False: somebody else has to do with the task by now. */
  putOff(check: UnchangedCheck): Promise<boolean>;
  /** Plans to refresh the job's card, unless that is planned already. */
  refreshCard(card: CardRefresh): Promise<void>;
}

export function checkBatches(store: Store, clock: Clock): CheckBatches {
  // What is lost in a power cut is a check that is made again.
  const transaction = <T>(work: (tx: Transaction) => Promise<T>) =>
    store.transaction(work, { mayBeLost: true });
  const reads = batcher((jobIds: readonly string[]) =>
    transaction(async (tx) => {
      const found = await tx.checks.read(jobIds);
      return jobIds.map((id) => found.get(id) ?? null);
    }),
  );
  const unchanged = batcher(
    (checks: readonly UnchangedCheck[]) =>
      transaction(async (tx) => {
        const ended = await tx.checks.endUnchanged(checks, clock.now());
        return checks.map(({ lease }) => ended.has(lease.taskId));
      }),
    GATHERED_FOR_MS,
  );
  const cards = batcher((jobs: readonly CardRefresh[]) =>
    transaction(async (tx) => {
      await tx.checks.refreshCards(jobs);
      return jobs.map(() => undefined);
    }),
  );
  return {
    read: (id) => reads.load(id),
    putOff: (check) => unchanged.load(check),
    refreshCard: (card) => cards.load(card),
  };
}
