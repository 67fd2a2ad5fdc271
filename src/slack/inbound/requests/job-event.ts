import { applyEvent, sitesOf } from '../../../engine/apply-event.ts';
import { outcomeOfMatter } from '../../../jobs/decide/offers.ts';
import type { DecisionContext } from '../../../jobs/decision.ts';
import type { JobEvent } from '../../../jobs/event.ts';
import { initiatorOf, type Job } from '../../../jobs/job.ts';
import type { Transaction } from '../../../store/store.ts';
import { CLOCK_SKEW_MS } from '../../messages/message-event.ts';
import { decodeDecisionForm } from '../../protocol/form-data.ts';
import type { ButtonTarget, JobButton } from '../../views/parts/buttons.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { jobAtAnotherView, jobForgottenView, tooLateView } from '../../views/thread/settled.ts';
import type { Interaction, ListenerDeps, Press } from '../listener.ts';
import { namesIn } from './door.ts';

/**
 * The target is outside input, so it counts only in the job's channel or for the person who was shown the
 * button. The home tab and private answers show the person's own jobs; *Details* also those of the channel
 * where it was opened.
 */
export function isAtHome(
  job: Job,
  { isRequesters, isPrivate }: Pick<JobButton, 'isRequesters'> & Pick<ButtonTarget, 'isPrivate'>,
  press: Press,
): boolean {
  const isTheirs = initiatorOf(job) === press.userId;
  if (isRequesters === true) return isTheirs;
  if (press.channelId !== null) return job.channelId === press.channelId || (isPrivate === true && isTheirs);
  return isTheirs || job.channelId === channelOfView(press);
}

/**
 * The channel where the modal was opened, from its metadata: *Details* holds it alone, a form beside other
 * values.
 */
export function channelOfView({ view }: Press): string | undefined {
  const data = view?.private_metadata;
  return data === undefined ? undefined : (decodeDecisionForm(data)?.channelId ?? data);
}

/**
 * Applies the event of a press, or of the button's form, to the job, once, and records it for audits. Null: it
 * was delivered before.
 */
export async function applyOnce(
  tx: Transaction,
  deps: Pick<ListenerDeps, 'teamId' | 'newContext'>,
  { userId, keys }: Pick<Interaction, 'userId' | 'keys'>,
  { button, jobId, event }: { readonly button: string; readonly jobId: string; readonly event: JobEvent },
) {
  const context = deps.newContext();
  if (!(await tx.inboundRequests.remember(keys, context.nowMs))) return null;
  const after = await applyEvent(tx, jobId, event, context);
  await recordPress(tx, deps, context, { userId, button, jobId, hasEffect: after.hasEffect });
  return after;
}

/** Records for audits who pressed what, in the transaction that stores the press. */
export function recordPress(
  tx: Transaction,
  { teamId }: Pick<ListenerDeps, 'teamId'>,
  { nowMs, newId }: Pick<DecisionContext, 'nowMs' | 'newId'>,
  press: {
    readonly userId: string;
    readonly button: string;
    readonly jobId: string | null;
    /** False: too late. */
    readonly hasEffect: boolean;
  },
): Promise<void> {
  const { userId, button, jobId, hasEffect } = press;
  const outcome = hasEffect ? 'accepted' : 'too_late';
  return tx.audit.record(
    { atMs: nowMs, teamId, userId, action: 'press', source: button, jobId, outcome },
    newId(),
  );
}

/** Says what the state is, and who decided it. */
export async function tooLate(deps: ListenerDeps, job: Job, press: JobEvent): Promise<SlackMessage> {
  const outcome = outcomeOfMatter(job, press);
  const by = outcome?.by ?? null;
  const names = by === null ? new Map<string, string>() : await namesIn(deps, [`<@${by}>`]);
  return tooLateView(job, outcome, names, sitesOf(deps));
}

/**
 * For a press or form of an unknown job: deleted, or another program's.
 * @param postedTs of the message with the button, if any
 */
export async function unknownJobAnswer(deps: ListenerDeps, postedTs?: string): Promise<SlackMessage> {
  const sinceMs = postedTs === undefined ? 0 : Number(postedTs) * 1000 + CLOCK_SKEW_MS;
  return (await deps.isSharedSince(sinceMs)) ? jobAtAnotherView : jobForgottenView;
}
