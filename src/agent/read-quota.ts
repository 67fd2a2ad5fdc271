import type { Granted, Quota } from '#engine/claim-fairly.ts';
import { type Allowance, allowanceOf, readShare, type Slowdown, takeFrom } from '#jobs/schedule/slowdown.ts';
import type { TaskGroup, Transaction } from '#store/store.ts';

const AHEAD_MAX_MS = 30_000;
/** A pause may end early. */
const LOOKS_AGAIN_MS = 5_000;
/** One turn in 20 is for ended jobs. */
const TURNS = 20;
const TURN_MS = 1_000;

/**
 * The store shares the quota between replicas. Waiting reads stay due, longest first. Outside their turn,
 * open or ended jobs leave half of a burst to the others.
 */
export function readQuota(readsPerMinute: number, { isOfEnded }: { isOfEnded: boolean }) {
  const allowanceAt = (slowdown: Slowdown | null, nowMs: number) =>
    allowanceOf(Math.max(1, readsPerMinute * readShare(slowdown, nowMs)));

  function grant(allowance: Allowance, wholeAtMs: number, wanted: number, nowMs: number): Granted {
    const { spacingMs, burstMs } = allowance;
    const turnMs = Math.max(TURN_MS, spacingMs);
    const turn = Math.floor(nowMs / turnMs);
    if ((turn % TURNS === 0) === isOfEnded) return takeFrom(allowance, wholeAtMs, wanted, nowMs);
    const keptMs = Math.max(1, Math.floor(burstMs / spacingMs / 2)) * spacingMs;
    const { count, againAtMs } = takeFrom(allowance, wholeAtMs + keptMs, wanted, nowMs);
    const nextTurn = isOfEnded ? turn - (turn % TURNS) + TURNS : turn + 1;
    return { count, againAtMs: Math.min(againAtMs, Math.ceil(nextTurn * turnMs)) };
  }

  const take: Quota['take'] = async (tx, wanted, nowMs) => {
    const useOf = await tx.readBudget.of([...wanted.keys()].map(projectOf), nowMs);
    const granted = new Map<TaskGroup, Granted>();
    const used = new Map<string, number>();
    for (const [group, asked] of wanted) {
      const projectId = projectOf(group);
      const { wholeAtMs, slowdown } = useOf(projectId);
      const allowance = allowanceAt(slowdown, nowMs);
      // After a slowdown, reads resume without a burst.
      const resumesAtMs = slowdown === null ? 0 : slowdown.untilMs + allowance.burstMs;
      const fromMs = Math.max(wholeAtMs, resumesAtMs);
      const { count, againAtMs } = grant(allowance, fromMs, asked, nowMs);
      granted.set(group, { count, againAtMs: Math.min(againAtMs, nowMs + LOOKS_AGAIN_MS) });
      if (count > 0) used.set(projectId, Math.max(fromMs, nowMs) + count * allowance.spacingMs);
    }
    if (used.size > 0) await tx.readBudget.put(used);
    return granted;
  };

  /** One read for a person, ahead of due ones. False: reads are paused, or people had many. */
  const takeFirst = async (tx: Transaction, projectId: string, nowMs: number) => {
    const { wholeAtMs, slowdown } = (await tx.readBudget.of([projectId], nowMs))(projectId);
    const isPaused = slowdown !== null && nowMs < slowdown.untilMs;
    const fromMs = Math.max(wholeAtMs, nowMs);
    if (isPaused || fromMs - nowMs > AHEAD_MAX_MS) return false;
    await tx.readBudget.put(new Map([[projectId, fromMs + allowanceAt(slowdown, nowMs).spacingMs]]));
    return true;
  };

  return { take, takeFirst };
}

function projectOf(group: TaskGroup) {
  return group.slice(0, -1);
}
