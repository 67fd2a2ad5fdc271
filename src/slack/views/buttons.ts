import { z } from 'zod';
import type { JobEvent } from '#jobs/event.ts';
import { decode } from '../protocol/ids.ts';

const id = z.string().min(1);
const number = z.int().optional();
const buttonTarget = z.object({
  jobId: id,
  callId: id.optional(),
  creates: number,
  cards: number,
  question: number,
  reminderId: id.optional(),
  message: number,
  draft: number,
  messageTs: z.string().optional(),
  isPrivate: z.boolean().optional(),
  projectId: id.optional(),
  need: z.string().min(1).max(200).optional(),
  news: z.string().min(1).max(200).optional(),
});

/**
 * `creates` and `cards` count attempts to create the job and its card, `message` is the next message call,
 * `messageTs` the edited reply: they reveal an old button. `isPrivate`: in an answer to one person, perhaps
 * in another channel.
 */
export type ButtonTarget = Readonly<z.infer<typeof buttonTarget>>;

export const decodeButton = (value: string): ButtonTarget | null => decode(buttonTarget, value);

export type PressFacts = Readonly<{
  userId: string;
  responseUrl: string | null;
  /** Slack's clock. */
  pressedTs: string;
  /** Of the message with the button. */
  messageTs?: string;
}>;

export type ButtonKind = Readonly<{
  id: string;
  label: string;
  style?: 'primary';
  /** Only the requester sees and may press it, in any channel. */
  isRequesters?: true;
  /** How many may stand in one row, each with its own id. Default: 1. */
  rowMax?: number;
}>;

export function idsOf(kind: ButtonKind): string[] {
  return Array.from({ length: kind.rowMax ?? 1 }, (_, index) => nthInRow(kind, index).id);
}

export function nthInRow(kind: ButtonKind, index: number): ButtonKind {
  return index === 0 ? kind : { ...kind, id: `${kind.id}_${index + 1}` };
}

export interface JobButton extends ButtonKind {
  /** Null if the target lacks a field. */
  readonly eventOf: (target: ButtonTarget, press: PressFacts) => JobEvent | null;
}

type Rules = Omit<ButtonKind, 'id' | 'label'>;

function button(id: string, label: string, rules: Rules = {}): ButtonKind {
  return { id, label, ...rules };
}

function jobButton(id: string, label: string, eventOf: JobButton['eventOf'], rules: Rules = {}): JobButton {
  return { id, label, eventOf, ...rules };
}

const startPressed: JobButton['eventOf'] = ({ projectId }, { responseUrl, pressedTs }) => {
  return { type: 'start_another_pressed', projectId, responseUrl, pressedTs };
};

export const jobButtons = {
  startAnother: jobButton('start_another', 'Start another', startPressed, { isRequesters: true }),
  start: jobButton('start', 'Start', startPressed, { isRequesters: true }),
  startIn: jobButton('start_in', 'Start in', startPressed, { isRequesters: true, rowMax: 5 }),
  startAgain: jobButton('start_again', 'Start again', ({ creates, callId }, { userId }) =>
    creates === undefined && callId === undefined
      ? null
      : { type: 'start_again_pressed', creates, callId, userId },
  ),
  tryAgain: jobButton(
    'try_again',
    'Start',
    ({ cards }, { responseUrl, pressedTs }) =>
      cards === undefined ? null : { type: 'try_again_pressed', cards, responseUrl, pressedTs },
    { isRequesters: true },
  ),
  sendAgain: jobButton('send_again', 'Send again', ({ callId = null }, { userId }) => {
    return { type: 'resend_pressed', callId, userId };
  }),
  sendNow: jobButton('send_now', 'Send now', ({ message }) =>
    message === undefined ? null : { type: 'send_now_pressed', message },
  ),
  sendCorrection: jobButton('send_correction', 'Send the correction', ({ messageTs }) =>
    messageTs === undefined ? null : { type: 'correction_pressed', messageTs },
  ),
  sendAnyway: jobButton('send_anyway', 'Send it anyway', ({ messageTs }) =>
    messageTs === undefined ? null : { type: 'send_anyway_pressed', messageTs },
  ),
  muteUpdates: jobButton('mute_updates', 'Mute updates', (_target, { userId }) => {
    return { type: 'mute_pressed', userId };
  }),
  stop: jobButton('stop', 'Stop', (_target, { userId }) => ({ type: 'stop_pressed', userId })),
  keepWatching: jobButton('keep_watching', 'Keep watching', ({ question }, { userId }) =>
    question === undefined ? null : { type: 'keep_watching_pressed', question, userId },
  ),
  stopWatching: jobButton('stop_watching', 'Stop watching', ({ question }, { userId }) =>
    question === undefined ? null : { type: 'stop_watching_pressed', question, userId },
  ),
  resumeWatching: jobButton('resume_watching', 'Resume watching', ({ question }) =>
    question === undefined ? null : { type: 'resume_watching_pressed', question },
  ),
  dismissStart: jobButton('dismiss_start', 'Dismiss', ({ callId }, { userId }) =>
    callId === undefined ? null : { type: 'start_dismissed', callId, userId },
  ),
  startDraft: jobButton('start_draft', 'Start', ({ draft }, { userId, messageTs: postTs }) =>
    draft === undefined
      ? null
      : { type: 'draft_started', draft, userId, ...(postTs !== undefined && { postTs }) },
  ),
  dismissDraft: jobButton('dismiss_draft', 'Dismiss', ({ draft }, { userId }) =>
    draft === undefined ? null : { type: 'draft_dismissed', draft, userId },
  ),
  dismissNeed: jobButton(
    'dismiss_need',
    'Dismiss',
    ({ need }) => (need === undefined ? null : { type: 'need_dismissed', need }),
    { isRequesters: true },
  ),
};

export const otherButtons = {
  startJob: button('start_job', 'Start a job', { style: 'primary' }),
  showHelp: button('show_help', 'Show help'),
  showAllHelp: button('show_all_help', 'Everything I can do'),
  startWithThread: button('start_with_thread', 'Start with the thread'),
  chooseMessages: button('choose_messages', 'Choose messages…'),
  onlyMyWords: button('only_my_words', 'Only my words'),
  sendSaidSince: button('send_said_since', 'Send them'),
  chooseSaidSince: button('choose_said_since', 'Choose messages…'),
  editAndStart: button('edit_and_start', 'Edit and start'),
  editDraft: button('edit_draft', 'Edit and start'),
  chooseForDraft: button('choose_for_draft', 'Choose…'),
  resolveStart: button('resolve_start', 'Resolve…'),
  watchAgentJob: button('watch_agent_job', 'I found the job…'),
  followUp: button('follow_up', 'Reply to the agent'),
  askForFix: button('ask_for_fix', 'Ask for a fix'),
  sendReview: button('send_review', 'Send the review', { rowMax: 5 }),
  readAll: button('read_all', 'Read all'),
  runRecipe: button('run_recipe', 'Run'),
  resumeRecipe: button('resume_recipe', 'Resume'),
  older: button('list_older', 'Older'),
  details: button('show_job', 'Details'),
};

/** Slack opens the link, but still expects an acknowledgement. */
export const linkButtons = {
  viewPullRequest: button('view_pull_request', 'View pull request', { style: 'primary' }),
  viewPreview: button('view_preview', 'View preview'),
  viewChecks: button('view_checks', 'View checks'),
  viewReview: button('view_review', 'View review'),
  openThread: button('open_thread', 'Open thread'),
};

export const buttons = { ...jobButtons, ...otherButtons, ...linkButtons };
