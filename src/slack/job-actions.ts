import type { JobEvent } from '../jobs/event.ts';
import { type ActionId, actionIds, type ButtonTarget } from './ids.ts';
import { labels } from './views/words.ts';

/** A button of a job. */
export interface JobAction {
  readonly actionId: ActionId;
  readonly label: string;
  /** What a press means; null if the target lacks what that needs. */
  readonly eventOf: (target: ButtonTarget) => JobEvent | null;
}

/** All buttons whose press is an event of their job. */
export const jobActions: readonly JobAction[] = [
  {
    actionId: actionIds.runAgain,
    label: labels.runAgain,
    eventOf: ({ creates }) => (creates === undefined ? null : { type: 'run_again_pressed', creates }),
  },
  {
    actionId: actionIds.startAgain,
    label: labels.startAgain,
    eventOf: ({ callId }) => (callId === undefined ? null : { type: 'start_again_pressed', callId }),
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
  },
];

function resend({ callId }: ButtonTarget): JobEvent | null {
  return callId === undefined ? null : { type: 'resend_pressed', callId };
}
