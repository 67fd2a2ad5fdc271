import { lastMoment, nextMoment, type Schedule } from '#jobs/schedule/moments.ts';
import type { TaskKindAbout } from '#jobs/task-kinds.ts';
import { partsOf, subjectIn } from '#store/queries/task.ts';
import type { ClaimedTask, Transaction } from '#store/store.ts';

export type Recurring = Readonly<{
  kind: TaskKindAbout<'schedule'>;
  name: string;
  schedule: Schedule;
}>;

/** Another replica may have newer settings. */
const LOOKS_AGAIN_MS = 3_600_000;

/** A time that has passed is due at once. */
export async function planSchedules(
  tx: Transaction,
  teamId: string,
  recurring: readonly Recurring[],
  nowMs: number,
): Promise<void> {
  await tx.schedules.leaveAllBut(
    teamId,
    recurring.map(({ name }) => name),
  );
  // Sorted to avoid deadlocks.
  for (const { kind, name, schedule } of recurring.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const key = { teamId, name };
    const nextMs = nextMoment(schedule, await tx.schedules.follow(key, schedule, nowMs));
    if (nextMs === null) continue;
    const runAtMs = Math.min(nextMs, nowMs + LOOKS_AGAIN_MS);
    await tx.tasks.schedule({ kind, subject: subjectIn(teamId, name), runAtMs, ifScheduled: 'replace' });
  }
}

/** Of several due times, the last. */
export type Moment = Readonly<{
  schedule: Schedule;
  atMs: number;
  servedUntilMs: number;
}>;

/** Stays due until the commit. Null: none, and the task waits for the next time. */
export async function dueMoment(
  tx: Transaction,
  { subject, lease }: ClaimedTask,
  schedule: Schedule | null,
  nowMs: number,
): Promise<Moment | null> {
  const servedUntilMs = await tx.schedules.servedUntilMs(partsOf(subject), nowMs);
  const atMs = schedule && lastMoment(schedule, nowMs);
  if (schedule !== null && atMs !== null && servedUntilMs !== null && atMs > servedUntilMs) {
    return { schedule, atMs, servedUntilMs };
  }
  await tx.tasks.repeat(lease, nextLookMs(schedule, nowMs));
  return null;
}

/** The task then waits for the next time. */
export async function momentServed(
  tx: Transaction,
  { subject, lease }: ClaimedTask,
  { schedule, atMs }: Moment,
  nowMs: number,
): Promise<void> {
  await tx.schedules.serve(partsOf(subject), atMs);
  await tx.tasks.repeat(lease, nextLookMs(schedule, nowMs));
}

function nextLookMs(schedule: Schedule | null, nowMs: number) {
  const nextMs = schedule && nextMoment(schedule, nowMs);
  return Math.min(nextMs ?? Number.POSITIVE_INFINITY, nowMs + LOOKS_AGAIN_MS);
}
