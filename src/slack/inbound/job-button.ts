import { applyEvent, sitesOf } from '../../engine/apply-event.ts';
import { outcomeOfMatter } from '../../jobs/decide/offers.ts';
import type { JobEvent } from '../../jobs/event.ts';
import { initiatorOf, type Job } from '../../jobs/job.ts';
import { decodeDecisionForm } from '../protocol/form-data.ts';
import {
  type ButtonTarget,
  decodeButton,
  type JobButton,
  jobButtons,
  type Press,
} from '../views/parts/buttons.ts';
import { newsAbove, plainModal } from '../views/parts/form.ts';
import type { SlackMessage } from '../views/parts/message.ts';
import { detailsModal, jobModalTitle, statusView } from '../views/status.ts';
import { mutedNowView } from '../views/thread/not-for-agent.ts';
import { correctionSentView, sentAnywayView, tryingAgainView } from '../views/thread/requester.ts';
import { tooLateView } from '../views/thread/settled.ts';
import { jobInFull, NO_CHANNEL } from './commands/status.ts';
import { noteRequest, type RequestNote } from './connection/request-log.ts';
import type { ListenerDeps, PressArgs } from './deps.ts';
import {
  answerBeside,
  bestEffort,
  jobAdmissionProblem,
  namesIn,
  openForm,
  recordPress,
  storeRequest,
  unknownJobAnswer,
} from './requests/door.ts';
import { threadTakenProblem } from './requests/start-job.ts';

interface Outcome {
  readonly answer: Answer | null;
  readonly note?: RequestNote;
  readonly isUnknown?: true;
  /** The press came too late: the current job. */
  readonly lateFor?: Job;
  readonly isDone?: true;
}

export type JobButtonName = keyof typeof jobButtons;

/**
 * Replaces a private message once its button has done its work. For messages in threads see `refreshPosts`.
 */
const AFTERWARDS: Partial<Record<JobButtonName, SlackMessage>> = {
  tryAgain: tryingAgainView,
  sendCorrection: correctionSentView,
  sendAnyway: sentAnywayView,
  muteUpdates: mutedNowView,
};

/** The event of a press with everything it needs; or why there is none. */
export type Prepared = { readonly event: JobEvent } | { readonly problem: SlackMessage };

/**
 * A job's button. After a second or late press, the person sees the current state.
 * @param prepare reads what the event needs from Slack
 */
export function jobButton(
  deps: ListenerDeps,
  name: JobButtonName,
  prepare: (target: ButtonTarget, event: JobEvent) => Promise<Prepared> = async (_target, event) => ({
    event,
  }),
) {
  const button: JobButton = jobButtons[name];
  const afterwards = AFTERWARDS[name];
  return async ({ action, body, ack, respond }: PressArgs): Promise<void> => {
    const target = decodeButton(action.value ?? '');
    const userId = body.user.id;
    const pressed = target && button.eventOf(target, pressOf({ action, body }));
    const prepared = target && pressed ? await prepare(target, pressed) : { event: null };
    if ('problem' in prepared) {
      await ack();
      return showOutcome(deps, { body, respond }, privately(prepared.problem), null);
    }
    const { event } = prepared;
    const stored = await storeRequest(deps, {
      // For the others, `checkAccess` has checked the channel.
      admit: async () =>
        target && (button.isRequesters || target.isPrivate || body.channel === undefined)
          ? jobAdmissionProblem(deps, userId, target.jobId)
          : null,
      write: () =>
        deps.store.transaction(async (tx): Promise<Outcome> => {
          const job = target && (await tx.jobs.get(target.jobId));
          if (target && job === null) return { answer: null, isUnknown: true };
          const isMeant = job?.teamId === deps.teamId && isAtHome(job, { ...button, ...target }, body);
          if (!job || !event || !isMeant) return { answer: null };
          const taken = event.type === 'draft_dismissed' ? null : await threadTakenProblem(tx, job, userId);
          if (taken !== null) return { answer: privately(taken) };
          const context = deps.newContext();
          const keys = body.trigger_id ? [`press:${deps.teamId}:${body.trigger_id}`] : [];
          if (!(await tx.inboundRequests.remember(keys, context.nowMs))) {
            return { answer: null, note: { outcome: 'duplicate', jobId: job.id } };
          }
          const note = { outcome: 'accepted', jobId: job.id } as const;
          const after = await applyEvent(tx, job.id, event, context);
          const { hasEffect } = after;
          // A press shows that the tab is open, so it follows at once.
          if (body.view?.type === 'home') await tx.homes.opened(deps.teamId, userId, context.nowMs);
          await recordPress(tx, deps, context, { userId, button: button.id, jobId: job.id, hasEffect });
          if (!hasEffect) return { answer: null, note, lateFor: after.job };
          return { answer: afterwards ? inPlace(afterwards) : null, note, isDone: true };
        }),
    });
    if (stored.kind === 'failed') {
      await showOutcome(deps, { body, respond }, privately(stored.problem), null);
      // Left unacknowledged, so that Slack shows a warning at the button, too.
      throw new Error(`the press of ${action.action_id} was not stored`);
    }
    const { answer, note, isUnknown, lateFor, isDone }: Outcome =
      stored.kind === 'denied' ? { answer: privately(stored.problem) } : stored.result;
    if (note !== undefined) noteRequest(note);
    await ack();
    const statusAnew = async () =>
      inPlace(await jobInFull(deps, sightOf(deps, body), target?.jobId ?? '', statusView));
    const known = isUnknown ? privately(await unknownJobAnswer(deps, body.message?.ts)) : answer;
    const anew = isDone && target?.isPrivate ? await statusAnew() : known;
    const shown = lateFor && event ? privately(await tooLate(deps, lateFor, event)) : anew;
    await showOutcome(deps, { body, respond }, shown, target?.jobId ?? null);
  };
}

/** Says what the state is, and who decided it. */
export async function tooLate(deps: ListenerDeps, job: Job, press: JobEvent): Promise<SlackMessage> {
  const outcome = outcomeOfMatter(job, press);
  return tooLateView(job, outcome, await namesOf(deps, outcome?.by ?? null), sitesOf(deps));
}

function namesOf(deps: ListenerDeps, userId: string | null): Promise<ReadonlyMap<string, string>> {
  return userId === null ? Promise.resolve(new Map()) : namesIn(deps, [`<@${userId}>`]);
}

function inPlace(message: SlackMessage): Answer {
  return { message, inPlace: true };
}

function privately(message: SlackMessage): Answer {
  return { message, inPlace: false };
}

/**
 * The target is outside input, so it counts only in the job's channel or for the person who was shown the
 * button. The home tab and private answers show the person's own jobs; *Details* also those of the channel
 * where it was opened.
 */
export function isAtHome(
  job: Job,
  { isRequesters, isPrivate }: Pick<JobButton, 'isRequesters'> & Pick<ButtonTarget, 'isPrivate'>,
  { channel, user, view }: PressArgs['body'],
): boolean {
  const isTheirs = initiatorOf(job) === user.id;
  if (isRequesters === true) return isTheirs;
  if (channel !== undefined) return job.channelId === channel.id || (isPrivate === true && isTheirs);
  return isTheirs || job.channelId === channelOfView(view);
}

/** Shown after a press: to all in place of the message, or to the person who pressed. */
interface Answer {
  readonly message: SlackMessage;
  readonly inPlace: boolean;
}

/**
 * Shows the outcome of a press to the person, as far as Slack allows.
 * @param jobId null if the press was not stored
 */
async function showOutcome(
  deps: ListenerDeps,
  { body, respond }: Pick<PressArgs, 'body' | 'respond'>,
  answer: Answer | null,
  jobId: string | null,
): Promise<void> {
  if (body.view?.type === 'home') {
    // The home tab updates itself.
    if (answer === null || answer.inPlace) return;
    await openForm(deps, body.trigger_id, plainModal(jobModalTitle, answer.message));
  } else if (body.view !== undefined) {
    const sight = sightOf(deps, body);
    const { blocks } = jobId === null ? body.view : await jobInFull(deps, sight, jobId);
    const modal = detailsModal(newsAbove(blocks, answer?.message ?? null), sight.channelId);
    await bestEffort(deps, deps.poster.updateModal(body.view.id, modal));
  } else if (answer !== null) {
    await (answer.inPlace
      ? bestEffort(deps, respond({ replace_original: true, ...answer.message }))
      : answerBeside(deps, { body, respond }, answer.message));
  }
}

/** Whose jobs are visible where it was pressed. */
function sightOf({ teamId }: ListenerDeps, { channel, user, view }: PressArgs['body']) {
  return { teamId, userId: user.id, channelId: channel?.id || channelOfView(view) || NO_CHANNEL };
}

/**
 * The channel where the modal was opened, from its metadata: *Details* holds it alone, a form beside other
 * values.
 */
function channelOfView(view: PressArgs['body']['view']): string | undefined {
  const data = view?.private_metadata;
  return data === undefined ? undefined : (decodeDecisionForm(data)?.channelId ?? data);
}

const SLACK_TIME = /^\d{10}\.\d{6}$/;

/** Without a time if Slack does not send it in its usual form. */
export function pressOf({ action, body }: Pick<PressArgs, 'action' | 'body'>): Press {
  const { action_ts: ts } = action;
  const isTime = typeof ts === 'string' && SLACK_TIME.test(ts);
  return {
    userId: body.user.id,
    responseUrl: body.response_url || null,
    pressedTs: isTime ? ts : undefined,
    ...(body.message !== undefined && { messageTs: body.message.ts }),
  };
}
