import type { Announcement } from './announcement.ts';

/** An outward call that must happen once. */
export type CallRequest =
  | { readonly kind: 'create_job'; readonly prompt: string }
  | { readonly kind: 'send_message'; readonly agentJobId: string; readonly prompt: string }
  | { readonly kind: 'post_card' }
  | { readonly kind: 'announce'; readonly announcement: Announcement }
  | { readonly kind: 'notify_channel'; readonly channelId: string; readonly url: string }
  /**
   * A private answer to the requester: the card was refused or is delayed, the same was asked a moment ago, or
   * an announcement could not be posted in the thread. `reason` is Slack's error code.
   */
  | {
      readonly kind: 'tell_requester';
      readonly reason: string;
      readonly about: 'card_refused' | 'card_delayed' | 'asked_before' | Announcement;
    }
  /** A convenience, shown to one person in the thread: dropped if Slack does not take it, or may have. */
  | { readonly kind: 'whisper'; readonly userId: string; readonly whisper: Whisper };

export type CallKind = CallRequest['kind'];

/** A call that a decision wants. Its natural key makes a second wish for the same call impossible. */
export interface WantedCall {
  readonly id: string;
  readonly naturalKey: string;
  /** Calls of one lane are made one after the other; lanes never wait for each other. */
  readonly lane: Lane;
  readonly request: CallRequest;
}

/** `agent`: create and message calls; `slack`: posts. */
export interface Lane {
  readonly to: 'agent' | 'slack';
  readonly name: string;
}

export type CallState = 'wanted' | 'started' | 'done' | 'failed' | 'unknown';

/** What one person is told in a job's thread, for their eyes only. Nothing is lost if they never see it. */
export interface Whisper {
  /** Offers *Send the correction*. */
  readonly kind: 'edited_after_sending';
  readonly messageTs: string;
}
