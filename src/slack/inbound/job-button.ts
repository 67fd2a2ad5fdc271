import type { JobEvent } from '../../jobs/event.ts';
import type { Job } from '../../jobs/job.ts';
import { decodeButton, type JobButton, jobButtons } from '../views/parts/buttons.ts';
import { newsAbove, plainModal } from '../views/parts/form.ts';
import type { SlackMessage } from '../views/parts/message.ts';
import { detailsModal, jobModalTitle, statusView } from '../views/status.ts';
import { mutedNowView } from '../views/thread/not-for-agent.ts';
import { correctionSentView, sentAnywayView, tryingAgainView } from '../views/thread/requester.ts';
import { jobInFull, NO_CHANNEL } from './commands/status.ts';
import { noteRequest } from './connection/request-log.ts';
import { prepareStart } from './forms/drafts.ts';
import { bestEffort, type ListenerDeps, notStored, type Press } from './listener.ts';
import { jobAdmissionProblem, openForm, storeRequest } from './requests/door.ts';
import { applyOnce, channelOfView, isAtHome, tooLate, unknownJobAnswer } from './requests/job-event.ts';
import { threadTakenProblem } from './requests/start-job.ts';

type JobButtonName = keyof typeof jobButtons;

/**
 * Replaces a private message once its button has done its work. For messages in threads see `refreshPosts`.
 */
const AFTERWARDS: Partial<Record<JobButtonName, SlackMessage>> = {
  tryAgain: tryingAgainView,
  sendCorrection: correctionSentView,
  sendAnyway: sentAnywayView,
  muteUpdates: mutedNowView,
};

type Outcome =
  | { readonly kind: 'unknown' | 'not_meant' | 'duplicate' | 'done' }
  | { readonly kind: 'refused'; readonly problem: SlackMessage }
  | { readonly kind: 'late'; readonly job: Job; readonly event: JobEvent };

/** A job's button. After a second or late press, the person sees the current state. */
export async function jobButton(deps: ListenerDeps, press: Press, name: JobButtonName): Promise<void> {
  const { userId, view } = press;
  const button: JobButton = jobButtons[name];
  const target = decodeButton(press.value);
  const pressed = target && button.eventOf(target, press);
  const prepared =
    target && pressed?.type === 'draft_started'
      ? await prepareStart(deps, target, pressed)
      : { event: pressed };
  if ('problem' in prepared) {
    await press.ack();
    return showOutcome(deps, press, prepared.problem, null);
  }
  const { event } = prepared;
  const write = () =>
    deps.store.transaction(async (tx): Promise<Outcome> => {
      const job = target && (await tx.jobs.get(target.jobId));
      if (target && job === null) return { kind: 'unknown' };
      const isMeant = job?.teamId === deps.teamId && isAtHome(job, { ...button, ...target }, press);
      if (!job || !event || !isMeant) return { kind: 'not_meant' };
      const problem = event.type === 'draft_dismissed' ? null : await threadTakenProblem(tx, job, userId);
      if (problem !== null) return { kind: 'refused', problem };
      const after = await applyOnce(tx, deps, press, { button: button.id, jobId: job.id, event });
      if (after === null) return { kind: 'duplicate' };
      // A press shows that the tab is open, so it follows at once.
      if (view?.type === 'home') await tx.homes.opened(deps.teamId, userId, deps.clock.now());
      return after.hasEffect ? { kind: 'done' } : { kind: 'late', job: after.job, event };
    });
  // For the others, `checkAccess` has checked the channel.
  const isElsewhere = button.isRequesters || target?.isPrivate || press.channelId === null;
  const stored = await storeRequest(deps, write, async () =>
    target && isElsewhere ? jobAdmissionProblem(deps, userId, target.jobId) : null,
  );
  if ('problem' in stored && !stored.isDenied) {
    await showOutcome(deps, press, stored.problem, null);
    throw notStored(press);
  }
  const outcome: Outcome = 'problem' in stored ? { kind: 'refused', problem: stored.problem } : stored.result;
  const { kind } = outcome;
  const jobId = target?.jobId ?? '';
  if (kind === 'duplicate') noteRequest({ outcome: 'duplicate', jobId });
  if (kind === 'late' || kind === 'done') noteRequest({ outcome: 'accepted', jobId });
  await press.ack();
  const answer = async (): Promise<SlackMessage | null> => {
    if (kind === 'unknown') return unknownJobAnswer(deps, press.messageTs);
    if (kind === 'refused') return outcome.problem;
    if (kind === 'late') return tooLate(deps, outcome.job, outcome.event);
    if (kind !== 'done') return null;
    return target?.isPrivate
      ? jobInFull(deps, sightOf(deps, press), jobId, statusView)
      : (AFTERWARDS[name] ?? null);
  };
  await showOutcome(deps, press, await answer(), target && jobId, kind === 'done');
}

/**
 * Shows the outcome of a press to the person, as far as Slack allows.
 * @param jobId null if the press was not stored
 * @param isDone a message with the button is replaced
 */
async function showOutcome(
  deps: ListenerDeps,
  press: Press,
  news: SlackMessage | null,
  jobId: string | null,
  isDone = false,
): Promise<void> {
  const { view, triggerId } = press;
  if (view?.type === 'home') {
    // The home tab updates itself.
    if (news !== null && !isDone) await openForm(deps, triggerId, plainModal(jobModalTitle, news));
  } else if (view !== undefined) {
    const sight = sightOf(deps, press);
    const { blocks } = jobId === null ? view : await jobInFull(deps, sight, jobId);
    const modal = detailsModal(newsAbove(blocks, news), sight.channelId);
    await bestEffort(deps, deps.poster.updateModal(view.id, modal));
  } else if (news !== null) {
    await (isDone ? press.replace(news) : press.tellBeside(news));
  }
}

function sightOf({ teamId }: ListenerDeps, press: Press) {
  const { userId, channelId } = press;
  return { teamId, userId, channelId: channelId || channelOfView(press) || NO_CHANNEL };
}
