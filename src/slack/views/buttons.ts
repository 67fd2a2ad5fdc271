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
});

/**
 * `creates` and `cards` count attempts to create the job and its card, `message` is the next message call,
 * `messageTs` the edited reply: they reveal an old button. `isPrivate`: in an answer to one person, perhaps
 * in another channel.
 */
export type ButtonTarget = Readonly<z.infer<typeof buttonTarget>>;

/** At most 2000 characters. */
export const encodeButton = (target: ButtonTarget) => JSON.stringify(target);

export const decodeButton = (value: string): ButtonTarget | null => decode(buttonTarget, value);

export type Press = Readonly<{
  userId: string;
  responseUrl: string | null;
  /** Slack's clock. */
  pressedTs: string | undefined;
  /** Of the message with the button. */
  messageTs?: string;
}>;

export type Button = Readonly<{
  id: string;
  label: string;
  /** Only the requester sees and may press it, in any channel. */
  isRequesters?: true;
  /** How many may stand in one row, each with its own id. Default: 1. */
  rowMax?: number;
}>;

export function idsOf(button: Button): string[] {
  return Array.from({ length: button.rowMax ?? 1 }, (_, index) => nthInRow(button, index).id);
}

export function nthInRow<Kind extends Button>(button: Kind, index: number): Kind {
  return index === 0 ? button : { ...button, id: `${button.id}_${index + 1}` };
}

export interface JobButton extends Button {
  /** Null if the target lacks a field. */
  readonly eventOf: (target: ButtonTarget, press: Press) => JobEvent | null;
}

export const jobButtons = {
  startAgain: {
    id: 'start_again',
    label: 'Start again',
    eventOf: ({ creates, callId }, { userId }) =>
      creates === undefined && callId === undefined
        ? null
        : { type: 'start_again_pressed', creates, callId, userId },
  },
  tryAgain: {
    id: 'try_again',
    label: 'Start',
    eventOf: ({ cards }, { responseUrl, pressedTs }) =>
      cards === undefined ? null : { type: 'try_again_pressed', cards, responseUrl, pressedTs },
    isRequesters: true,
  },
  sendAgain: {
    id: 'send_again',
    label: 'Send again',
    eventOf: ({ callId = null }, { userId }) => ({ type: 'resend_pressed', callId, userId }),
  },
  sendNow: {
    id: 'send_now',
    label: 'Send now',
    eventOf: ({ message }) => (message === undefined ? null : { type: 'send_now_pressed', message }),
  },
  sendCorrection: {
    id: 'send_correction',
    label: 'Send the correction',
    eventOf: ({ messageTs }) => (messageTs === undefined ? null : { type: 'correction_pressed', messageTs }),
  },
  sendAnyway: {
    id: 'send_anyway',
    label: 'Send it anyway',
    eventOf: ({ messageTs }) => (messageTs === undefined ? null : { type: 'send_anyway_pressed', messageTs }),
  },
  muteUpdates: {
    id: 'mute_updates',
    label: 'Mute updates',
    eventOf: (_target, { userId }) => ({ type: 'mute_pressed', userId }),
  },
  stop: {
    id: 'stop',
    label: 'Stop',
    eventOf: (_target, { userId }) => ({ type: 'stop_pressed', userId }),
  },
  keepWatching: {
    id: 'keep_watching',
    label: 'Keep watching',
    eventOf: ({ question }, { userId }) =>
      question === undefined ? null : { type: 'keep_watching_pressed', question, userId },
  },
  stopWatching: {
    id: 'stop_watching',
    label: 'Stop watching',
    eventOf: ({ question }, { userId }) =>
      question === undefined ? null : { type: 'stop_watching_pressed', question, userId },
  },
  resumeWatching: {
    id: 'resume_watching',
    label: 'Resume watching',
    eventOf: ({ question }) =>
      question === undefined ? null : { type: 'resume_watching_pressed', question },
  },
  dismissStart: {
    id: 'dismiss_start',
    label: 'Dismiss',
    eventOf: ({ callId }, { userId }) =>
      callId === undefined ? null : { type: 'start_dismissed', callId, userId },
  },
  startDraft: {
    id: 'start_draft',
    label: 'Start',
    eventOf: ({ draft }, { userId, messageTs: postTs }) =>
      draft === undefined
        ? null
        : { type: 'draft_started', draft, userId, ...(postTs !== undefined && { postTs }) },
  },
  dismissDraft: {
    id: 'dismiss_draft',
    label: 'Dismiss',
    eventOf: ({ draft }, { userId }) =>
      draft === undefined ? null : { type: 'draft_dismissed', draft, userId },
  },
  dismissNeed: {
    id: 'dismiss_need',
    label: 'Dismiss',
    eventOf: ({ need }) => (need === undefined ? null : { type: 'need_dismissed', need }),
    isRequesters: true,
  },
} satisfies Readonly<Record<string, JobButton>>;

export const otherButtons = {
  startJob: { id: 'start_job', label: 'Start a job' },
  startAnother: { id: 'start_another', label: 'Start another', isRequesters: true },
  start: { id: 'start', label: 'Start', isRequesters: true },
  startIn: { id: 'start_in', label: 'Start in', isRequesters: true, rowMax: 5 },
  showHelp: { id: 'show_help', label: 'Show help' },
  showAllHelp: { id: 'show_all_help', label: 'Everything I can do' },
  startWithThread: { id: 'start_with_thread', label: 'Start with the thread' },
  chooseMessages: { id: 'choose_messages', label: 'Choose messages…' },
  onlyMyWords: { id: 'only_my_words', label: 'Only my words' },
  sendSaidSince: { id: 'send_said_since', label: 'Send them' },
  chooseSaidSince: { id: 'choose_said_since', label: 'Choose messages…' },
  editAndStart: { id: 'edit_and_start', label: 'Edit and start' },
  editDraft: { id: 'edit_draft', label: 'Edit and start' },
  chooseForDraft: { id: 'choose_for_draft', label: 'Choose…' },
  resolveStart: { id: 'resolve_start', label: 'Resolve…' },
  watchAgentJob: { id: 'watch_agent_job', label: 'I found the job…' },
  followUp: { id: 'follow_up', label: 'Reply to the agent' },
  readAll: { id: 'read_all', label: 'Read all' },
  runRecipe: { id: 'run_recipe', label: 'Run' },
  resumeRecipe: { id: 'resume_recipe', label: 'Resume' },
  settings: { id: 'open_settings', label: 'Settings' },
  newer: { id: 'list_newer', label: 'Newer' },
  older: { id: 'list_older', label: 'Older' },
  details: { id: 'show_job', label: 'Details' },
} satisfies Readonly<Record<string, Button>>;

/** Slack opens the link, but still expects an acknowledgement. */
export const linkButtons = {
  viewPullRequest: { id: 'view_pull_request', label: 'View pull request' },
  viewPreview: { id: 'view_preview', label: 'View preview' },
  openThread: { id: 'open_thread', label: 'Open thread' },
} satisfies Readonly<Record<string, Button>>;

export const buttons = { ...jobButtons, ...otherButtons, ...linkButtons };
