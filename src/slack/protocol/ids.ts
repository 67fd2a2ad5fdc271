import { z } from 'zod';

/** What the buttons send. A button that opens a link sends its action too, and must be acknowledged. */
export const actionIds = {
  runAgain: 'run_again',
  startAgain: 'start_again',
  sendAgain: 'send_again',
  retry: 'retry',
  tryAgain: 'try_again',
  keepWatching: 'keep_watching',
  stopWatching: 'stop_watching',
  resumeWatching: 'resume_watching',
  followUp: 'follow_up',
  sendNow: 'send_now',
  sendCorrection: 'send_correction',
  viewPullRequest: 'view_pull_request',
  openThread: 'open_thread',
  listNewer: 'list_newer',
  listOlder: 'list_older',
  showJob: 'show_job',
  startJob: 'start_job',
  openSettings: 'open_settings',
  startAnother: 'start_another',
  chooseMessages: 'choose_messages',
} as const;

/** The forms. */
export const viewIds = {
  compose: 'compose',
  followUp: 'follow_up',
  threadPreview: 'thread_preview',
  startAnother: 'start_another',
  settings: 'settings',
  settingsChannel: 'settings_channel',
} as const;

/** What people fill in there: each is the id of its block and of its element. */
export const formIds = {
  prompt: 'prompt',
  project: 'project',
  channel: 'channel',
  followUpMode: 'follow_up_mode',
  followUpWindow: 'follow_up_window',
  noticeChannels: 'notice_channels',
  /** Followed by the number of the group. */
  messages: 'messages_',
} as const;

/** In the menu of a message. */
export const ASK_SHORTCUT_ID = 'ask_docs_agent';

/** Of buttons that only open a link. */
export const linkActionIds: ReadonlySet<string> = new Set([actionIds.viewPullRequest, actionIds.openThread]);

/** Of buttons that may stand elsewhere than their job: the listener checks whether it may be done there. */
export const elsewhereActionIds: ReadonlySet<string> = new Set([actionIds.tryAgain, actionIds.startAnother]);

export type ActionId = (typeof actionIds)[keyof typeof actionIds];

/** The `event_type` of the metadata that our messages carry. */
export const METADATA_EVENT_TYPE = 'docs_agent_post';

const buttonTarget = z.object({
  jobId: z.string().min(1),
  callId: z.string().min(1).optional(),
  creates: z.int().optional(),
  cards: z.int().optional(),
  question: z.int().optional(),
  message: z.int().optional(),
  messageTs: z.string().optional(),
});

/**
 * What a button is about: a job, and what tells which of its like it was when it was made: the call that it would
 * make again, how often the job was created or its card tried, the question that it answers, the message call
 * that would go out, or the reply that was edited.
 */
export type ButtonTarget = Readonly<z.infer<typeof buttonTarget>>;

/** The value of a button. Slack takes up to 2000 characters. */
export function encodeButton(target: ButtonTarget): string {
  return JSON.stringify(target);
}

/** Null if the value is not one of ours. */
export function decodeButton(value: string): ButtonTarget | null {
  try {
    return buttonTarget.parse(JSON.parse(value));
  } catch {
    return null;
  }
}

const CALL_BLOCK_PREFIX = 'call:';

/** The id of the first block of every message we post: tells later which call posted it. */
export function callBlockId(callId: string): string {
  return CALL_BLOCK_PREFIX + callId;
}

/** Null if the block is not the first block of a message that we posted. */
export function callIdOfBlock(blockId: string): string | null {
  const isCall = blockId.startsWith(CALL_BLOCK_PREFIX) && blockId.length > CALL_BLOCK_PREFIX.length;
  return isCall ? blockId.slice(CALL_BLOCK_PREFIX.length) : null;
}
