import type { Announcement } from './announcement.ts';
import type { StepResult } from './steps.ts';

export type CallRequest =
  | { readonly kind: 'create_job'; readonly prompt: string }
  | { readonly kind: 'send_message'; readonly agentJobId: string; readonly prompt: string }
  | { readonly kind: 'post_card' }
  | { readonly kind: 'announce'; readonly announcement: Announcement }
  | { readonly kind: 'notify_channel'; readonly channelId: string; readonly url: string }
  /** Tells the job's channel, outside of its thread, that the recipe no longer starts by itself. */
  | { readonly kind: 'tell_paused'; readonly recipe: string }
  /** A private answer to the requester, instead of a message. `reason` is Slack's error code. */
  | {
      readonly kind: 'notify_requester';
      readonly reason: string;
      readonly about: 'card_refused' | 'draft_refused' | 'card_delayed' | 'asked_before' | Announcement;
      /** The announcement is posted once the bot has access again. */
      readonly isKept?: true;
    }
  | { readonly kind: 'complete_step'; readonly executionId: string; readonly result: StepResult }
  /** A convenience for one person in the thread: dropped if Slack refuses it, or may have shown it. */
  | { readonly kind: 'ephemeral'; readonly userId: string; readonly notice: EphemeralNotice };

export type CallKind = CallRequest['kind'];

/** A call that a decision needs. Its natural key is unique, so the same call is never made twice. */
export interface NewCall {
  readonly id: string;
  readonly naturalKey: string;
  /** Calls of one lane run one after the other; lanes never wait for each other. */
  readonly lane: Lane;
  readonly request: CallRequest;
}

export function createKey({ id, creates }: { readonly id: string; readonly creates: number }): string {
  return `create:${id}:${creates}`;
}

/** `agent`: create and message calls; `slack`: posts; `workflow`: completions of steps. */
export interface Lane {
  readonly to: 'agent' | 'slack' | 'workflow';
  readonly name: string;
}

/**
 * `retry`: nothing happened, the call is pending again. `not_made`: nothing happened, and another call
 * replaces it; it failed, and uses no budget. `detail` is kept for the operator.
 */
export interface CallOutcome {
  readonly state: 'done' | 'failed' | 'unknown' | 'retry' | 'not_made';
  readonly detail: string | null;
}

export type CallState = 'pending' | 'started' | 'done' | 'failed' | 'unknown';

export interface EphemeralNotice {
  readonly kind: 'edited_after_sending' | 'deleted_after_sending' | KeptReply | KeptCommand;
  readonly messageTs: string;
  /** Its author's words, if the answer repeats them. */
  readonly said?: string;
}

/** Why a reply stays between people unless its author sends it with the button. */
export type KeptReply = 'kept_thanks' | 'cannot_stop' | 'still_working';

/** Likewise; it is answered as the command that it is. */
export type KeptCommand = 'kept_help' | 'kept_list' | 'kept_status';
