import type { Announcement } from './announcement.ts';
import type { Snippet } from './requests/attachments.ts';
import type { StepResult } from './steps.ts';

export type CallRequest = Readonly<
  | ({ kind: 'create_job' } & Instruction)
  | ({ kind: 'send_message'; agentJobId: string } & Instruction)
  /** May be repeated. */
  | { kind: 'cancel_job'; agentJobId: string }
  | { kind: 'post_card' }
  | { kind: 'announce'; announcement: Announcement }
  | { kind: 'notify_channel'; channelId: string; url: string }
  | { kind: 'tell_paused'; recipe: string }
  /** `reason`: Slack's error code. */
  | {
      kind: 'notify_requester';
      reason: string;
      about: 'card_refused' | 'draft_refused' | 'card_delayed' | 'asked_before' | Announcement;
      isKept?: true;
    }
  | { kind: 'complete_step'; executionId: string; result: StepResult }
  /** Dropped if Slack refuses it or may have shown it. */
  | { kind: 'ephemeral'; userId: string; notice: EphemeralNotice }
>;

/** `pictures`: read from Slack when the call is made. */
export type Instruction = Readonly<{ prompt: string; pictures?: readonly Snippet[] }>;

export type CallKind = CallRequest['kind'];

/** `naturalKey` is unique. */
export type NewCall = Readonly<{
  id: string;
  naturalKey: string;
  lane: Lane;
  request: CallRequest;
}>;

export function createKey({ id, creates }: { id: string; creates: number }): string {
  return `create:${id}:${creates}`;
}

export type Lane = Readonly<{ to: 'agent' | 'slack' | 'workflow'; name: string }>;

/** `retry`: pending again. `not_made`: failed without using the budget; another call replaces it. */
export type CallOutcome = Readonly<{
  state: 'done' | 'failed' | 'unknown' | 'retry' | 'not_made';
  detail: string | null;
}>;

export type CallState = 'pending' | 'started' | 'done' | 'failed' | 'unknown';

export type EphemeralNotice = Readonly<{
  kind: 'edited_after_sending' | (typeof keptIntents)[number];
  messageTs: string;
  said?: string;
}>;

/** Such replies are answered, not sent. */
export const keptIntents = ['small_talk', 'stop', 'progress', 'help', 'list', 'details', 'status'] as const;
