import type { Announcement } from './announcement.ts';
import type { StepResult } from './steps.ts';

export type CallRequest = Readonly<
  | { kind: 'create_job'; prompt: string }
  | { kind: 'send_message'; agentJobId: string; prompt: string }
  | { kind: 'post_card' }
  | { kind: 'announce'; announcement: Announcement }
  | { kind: 'notify_channel'; channelId: string; url: string }
  /** Tells the job's channel, outside of its thread, that the recipe no longer starts by itself. */
  | { kind: 'tell_paused'; recipe: string }
  /** A private answer to the requester, instead of a message. `reason` is Slack's error code. */
  | {
      kind: 'notify_requester';
      reason: string;
      about: 'card_refused' | 'draft_refused' | 'card_delayed' | 'asked_before' | Announcement;
      /** The announcement is posted once the bot has access again. */
      isKept?: true;
    }
  | { kind: 'complete_step'; executionId: string; result: StepResult }
  /** A convenience for one person in the thread: dropped if Slack refuses it, or may have shown it. */
  | { kind: 'ephemeral'; userId: string; notice: EphemeralNotice }
>;

export type CallKind = CallRequest['kind'];

/** A call that a decision needs. Its natural key is unique, so the same call is never made twice. */
export type NewCall = Readonly<{
  id: string;
  naturalKey: string;
  /** Calls of one lane run one after the other; lanes never wait for each other. */
  lane: Lane;
  request: CallRequest;
}>;

export function createKey({ id, creates }: { id: string; creates: number }): string {
  return `create:${id}:${creates}`;
}

/** `agent`: create and message calls; `slack`: posts; `workflow`: completions of steps. */
export type Lane = Readonly<{
  to: 'agent' | 'slack' | 'workflow';
  name: string;
}>;

/**
 * `retry`: nothing happened, the call is pending again. `not_made`: nothing happened, and another call
 * replaces it; it failed, and uses no budget. `detail` is kept for the operator.
 */
export type CallOutcome = Readonly<{
  state: 'done' | 'failed' | 'unknown' | 'retry' | 'not_made';
  detail: string | null;
}>;

export type CallState = 'pending' | 'started' | 'done' | 'failed' | 'unknown';

export type EphemeralNotice = Readonly<{
  kind: 'edited_after_sending' | 'deleted_after_sending' | KeptReply | KeptCommand;
  messageTs: string;
  /** Its author's words, if the answer repeats them. */
  said?: string;
}>;

/** Why a reply stays between people unless its author sends it with the button. */
export type KeptReply = 'kept_thanks' | 'cannot_stop' | 'still_working';

/** Likewise; it is answered as the command that it is. */
export type KeptCommand = 'kept_help' | 'kept_list' | 'kept_status';
