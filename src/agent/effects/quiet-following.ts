import { isDeepStrictEqual } from 'node:util';
import type { Decision } from '../../jobs/decision.ts';
import type { Job } from '../../jobs/job.ts';
import type { CheckKind } from '../../store/queries/tasks/checks.ts';

/** What follows from a check that found nothing new. */
export interface QuietFollowing {
  readonly nextCheckAtMs: number;
  /** When the card is to show that the job was looked at. Null: nothing was decided about it. */
  readonly cardAtMs: number | null;
}

/** What follows if the decision on a check is only to check again later; null if there is more to it. */
export function quietFollowing(
  before: Job,
  decision: Decision,
  checkKind: CheckKind,
  nowMs: number,
): QuietFollowing | null {
  const { job, followUps, calls, tasks } = decision;
  if (followUps.length > 0 || calls.length > 0 || before.checkedAtMs === null) return null;
  const check = tasks.find(({ kind }) => kind === checkKind);
  const card = tasks.find(({ kind }) => kind === 'refresh_card') ?? null;
  const others = tasks.filter((task) => task !== check && task !== card);
  const isCardDue = card !== null && (card.runAtMs <= nowMs || card.ifScheduled === 'replace');
  if (check === undefined || check.ifScheduled === 'keep' || others.length > 0 || isCardDue) return null;
  if (!isDeepStrictEqual({ ...job, checkedAtMs: before.checkedAtMs }, before)) return null;
  return { nextCheckAtMs: check.runAtMs, cardAtMs: card?.runAtMs ?? null };
}
