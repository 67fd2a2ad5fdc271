import { type ButtonTarget, decodeButton, type JobButton, jobButtons } from '../views/buttons.ts';
import { newsAbove, plainModal } from '../views/form.ts';
import type { SlackMessage } from '../views/message.ts';
import { correctionSentView, mutedNowView, sentAnywayView, startingView } from '../views/private-answers.ts';
import { detailsModal, jobModalTitle, statusView } from '../views/status.ts';
import { channelOfView, isTargetValid, jobAdmissionProblem } from './admission.ts';
import { jobInFull, viewerOf } from './commands.ts';
import { noteRequest } from './connection/requests.ts';
import { prepareStart } from './forms/job-forms.ts';
import { openForm, Refused, refusedIn, tooLate, unknownJobAnswer } from './interaction.ts';
import { bestEffort, type ListenerDeps, type Press } from './listener.ts';
import { applyOnce, storePress, storeRequest } from './once.ts';
import { threadTaken } from './start-job.ts';

const AFTERWARDS: Readonly<Record<string, SlackMessage>> = {
  [jobButtons.startAnother.id]: startingView,
  [jobButtons.start.id]: startingView,
  [jobButtons.startIn.id]: startingView,
  [jobButtons.tryAgain.id]: startingView,
  [jobButtons.sendCorrection.id]: correctionSentView,
  [jobButtons.sendAnyway.id]: sentAnywayView,
  [jobButtons.muteUpdates.id]: mutedNowView,
};

export async function answerJobButton(deps: ListenerDeps, press: Press, button: JobButton): Promise<null> {
  const target = decodeButton(press.value);
  if (target === null) return null;
  const { jobId } = target;
  const showFailure = (problem: SlackMessage) => showResult(deps, press, problem, null);
  const stored = applyPress(deps, press, button, target);
  const result = await storePress(press, stored, showFailure).catch(refusedIn);
  const after = result instanceof Refused || typeof result === 'string' ? null : result;
  if (after !== null || result === 'duplicate') {
    noteRequest({ outcome: after === null ? 'duplicate' : 'accepted', jobId });
  }
  await press.ack();
  const answer = async () => {
    if (result instanceof Refused) return result.answer;
    if (result === 'unknown') return unknownJobAnswer(deps, press.messageTs);
    if (after === null) return null;
    if (!after.hasEffect) return tooLate(deps, after.job, after.event);
    return target.isPrivate
      ? jobInFull(deps, pressViewer(deps, press), after.job.id, statusView)
      : (AFTERWARDS[button.id] ?? null);
  };
  return showResult(deps, press, await answer(), jobId, after?.hasEffect);
}

/** Null: not meant for this person, or forged. */
async function applyPress(deps: ListenerDeps, press: Press, button: JobButton, target: ButtonTarget) {
  const { userId, view } = press;
  const { jobId } = target;
  const pressed = button.eventOf(target, press);
  const event = pressed?.type === 'draft_started' ? await prepareStart(deps, target, pressed) : pressed;
  const write = () =>
    deps.store.transaction(async (tx) => {
      const job = await tx.jobs.get(jobId);
      if (job === null) return 'unknown';
      const isMeant = job.teamId === deps.teamId && isTargetValid(job, { ...button, ...target }, press);
      if (event === null || !isMeant) return null;
      const taken = event.type === 'draft_dismissed' ? null : await threadTaken(tx, job, userId);
      if (taken !== null) return taken;
      const after = await applyOnce(tx, deps, press, { button: button.id, jobId, event });
      // The press shows that the tab is open, so it updates at once.
      if (after !== null && view?.type === 'home') {
        await tx.homes.opened(deps.teamId, userId, deps.clock.now());
      }
      return after === null ? 'duplicate' : { ...after, event };
    });
  // The other buttons are in a channel that is already checked.
  const isElsewhere = button.isRequesters || target.isPrivate || press.channelId === null;
  return storeRequest(deps, write, async () =>
    isElsewhere ? jobAdmissionProblem(deps, userId, jobId) : null,
  );
}

async function showResult(
  deps: ListenerDeps,
  press: Press,
  news: SlackMessage | null,
  jobId: string | null,
  isDone = false,
) {
  const { view } = press;
  if (view?.type === 'home') {
    // The Home tab updates itself.
    if (news !== null && !isDone) await openForm(deps, press.triggerId, plainModal(jobModalTitle, news));
  } else if (view !== undefined) {
    const viewer = pressViewer(deps, press);
    const { blocks } = jobId === null ? view : await jobInFull(deps, viewer, jobId);
    const modal = detailsModal(newsAbove(blocks, news), viewer.channelId);
    await bestEffort(deps, deps.poster.updateModal(view.id, modal));
  } else if (news !== null) {
    await (isDone ? press.replace(news) : press.tellBeside(news));
  }
  return null;
}

function pressViewer(deps: ListenerDeps, press: Press) {
  return viewerOf(deps, { ...press, channelId: press.channelId ?? channelOfView(press) ?? null });
}
