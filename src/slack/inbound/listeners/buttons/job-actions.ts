import type { JobEvent } from '../../../../jobs/event.ts';
import { type ActionId, actionIds, type ButtonTarget } from '../../../protocol/ids.ts';
import type { SlackMessage } from '../../../views/parts/message.ts';
import { labels } from '../../../views/parts/words.ts';
import { watchAnsweredView } from '../../../views/thread/offers.ts';
import { tryingAgainView } from '../../../views/thread/requester.ts';
import { correctionSentView } from '../../../views/thread/whisper.ts';

/** A press of a button, as far as it matters for what it means. */
export interface Press {
  readonly userId: string;
  readonly responseUrl: string | null;
  readonly pressedTs: string | undefined;
}

/** A button of a job. */
export interface JobAction {
  readonly actionId: ActionId;
  readonly label: string;
  /** What a press means; null if the target lacks what that needs. */
  readonly eventOf: (target: ButtonTarget, press: Press) => JobEvent | null;
  /** Shown in place of the message with the button, once that has done its work. */
  readonly afterwards?: (press: Press) => SlackMessage;
  /** The button is in a private answer, perhaps in a direct message: only the requester's press counts. */
  readonly isRequesters?: true;
}

/** All buttons whose press is an event of their job. */
export const jobActions: readonly JobAction[] = [
  {
    actionId: actionIds.runAgain,
    label: labels.runAgain,
    eventOf: ({ creates, callId }) =>
      creates === undefined ? null : { type: 'run_again_pressed', creates, callId },
  },
  {
    actionId: actionIds.startAgain,
    label: labels.startAgain,
    eventOf: ({ callId }) => (callId === undefined ? null : { type: 'start_again_pressed', callId }),
  },
  {
    actionId: actionIds.tryAgain,
    label: labels.tryAgain,
    eventOf: ({ cards }, { responseUrl, pressedTs }) =>
      cards === undefined ? null : { type: 'try_again_pressed', cards, responseUrl, pressedTs },
    afterwards: tryingAgainView,
    isRequesters: true,
  },
  { actionId: actionIds.sendAgain, label: labels.sendAgain, eventOf: resend },
  { actionId: actionIds.retry, label: labels.retry, eventOf: resend },
  {
    actionId: actionIds.sendNow,
    label: labels.sendNow,
    eventOf: ({ message }) => (message === undefined ? null : { type: 'send_now_pressed', message }),
  },
  {
    actionId: actionIds.sendCorrection,
    label: labels.sendCorrection,
    eventOf: ({ messageTs }) => (messageTs === undefined ? null : { type: 'correction_pressed', messageTs }),
    afterwards: correctionSentView,
  },
  watchAction(actionIds.keepWatching, labels.keepWatching, 'keep_watching_pressed'),
  watchAction(actionIds.stopWatching, labels.stopWatching, 'stop_watching_pressed'),
  {
    actionId: actionIds.resumeWatching,
    label: labels.resumeWatching,
    eventOf: ({ question }) =>
      question === undefined ? null : { type: 'resume_watching_pressed', question },
  },
];

function resend({ callId }: ButtonTarget): JobEvent | null {
  return callId === undefined ? null : { type: 'resend_pressed', callId };
}

/** An answer to the question whether to keep watching. */
function watchAction(
  actionId: ActionId,
  label: string,
  type: 'keep_watching_pressed' | 'stop_watching_pressed',
): JobAction {
  return {
    actionId,
    label,
    eventOf: ({ question }) => (question === undefined ? null : { type, question }),
    afterwards: ({ userId }) => watchAnsweredView(label, userId),
  };
}
