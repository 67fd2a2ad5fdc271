import type { JobEvent } from '../../../jobs/event.ts';
import { type ActionId, actionIds, type ButtonTarget } from '../../protocol/ids.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { labels } from '../../views/parts/words.ts';
import { watchAnsweredView } from '../../views/thread/offers.ts';
import { correctionSentView, tryingAgainView } from '../../views/thread/requester.ts';
import type { PressArgs } from '../deps.ts';

/** A press of a button, as far as it matters for what it means. */
export interface Press {
  readonly userId: string;
  readonly responseUrl: string | null;
  /** By Slack's clock. */
  readonly pressedTs: string | undefined;
}

/** A button of a job. */
export interface JobAction {
  readonly label: string;
  /** What a press means; null if the target lacks what that needs. */
  readonly eventOf: (target: ButtonTarget, press: Press) => JobEvent | null;
  /** Shown in place of the message with the button, once that has done its work. */
  readonly afterwards?: (press: Press) => SlackMessage;
  /** The button is in a private answer, perhaps in a direct message: only the requester's press counts. */
  readonly isRequesters?: true;
}

/** All buttons whose press is an event of their job. */
export const jobActions = {
  [actionIds.runAgain]: {
    label: labels.runAgain,
    eventOf: ({ creates, callId }) =>
      creates === undefined ? null : { type: 'run_again_pressed', creates, callId },
  },
  [actionIds.startAgain]: {
    label: labels.startAgain,
    eventOf: ({ callId }) => (callId === undefined ? null : { type: 'start_again_pressed', callId }),
  },
  [actionIds.tryAgain]: {
    label: labels.tryAgain,
    eventOf: ({ cards }, { responseUrl, pressedTs }) =>
      cards === undefined ? null : { type: 'try_again_pressed', cards, responseUrl, pressedTs },
    afterwards: tryingAgainView,
    isRequesters: true,
  },
  [actionIds.sendAgain]: { label: labels.sendAgain, eventOf: resend },
  [actionIds.retry]: { label: labels.retry, eventOf: resend },
  [actionIds.sendNow]: {
    label: labels.sendNow,
    eventOf: ({ message }) => (message === undefined ? null : { type: 'send_now_pressed', message }),
  },
  [actionIds.sendCorrection]: {
    label: labels.sendCorrection,
    eventOf: ({ messageTs }) => (messageTs === undefined ? null : { type: 'correction_pressed', messageTs }),
    afterwards: correctionSentView,
  },
  [actionIds.keepWatching]: watchAction(labels.keepWatching, 'keep_watching_pressed'),
  [actionIds.stopWatching]: watchAction(labels.stopWatching, 'stop_watching_pressed'),
  [actionIds.resumeWatching]: {
    label: labels.resumeWatching,
    eventOf: ({ question }) =>
      question === undefined ? null : { type: 'resume_watching_pressed', question },
  },
} satisfies Partial<Record<ActionId, JobAction>>;

function resend({ callId }: ButtonTarget): JobEvent | null {
  return callId === undefined ? null : { type: 'resend_pressed', callId };
}

/** An answer to the question whether to keep watching. */
function watchAction(label: string, type: 'keep_watching_pressed' | 'stop_watching_pressed'): JobAction {
  return {
    label,
    eventOf: ({ question }) => (question === undefined ? null : { type, question }),
    afterwards: ({ userId }) => watchAnsweredView(label, userId),
  };
}

const SLACK_TIME = /^\d{10}\.\d{6}$/;

/** The time of a press is missing if Slack does not say it in its usual form. */
export function pressOf({ action, body }: Pick<PressArgs, 'action' | 'body'>): Press {
  const { action_ts: ts } = action;
  const isTime = typeof ts === 'string' && SLACK_TIME.test(ts);
  return {
    userId: body.user.id,
    responseUrl: body.response_url || null,
    pressedTs: isTime ? ts : undefined,
  };
}
