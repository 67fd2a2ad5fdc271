import type { SlackFile } from './files.ts';

export interface Block {
  readonly type: string;
  readonly block_id?: string;
  readonly [field: string]: unknown;
}

export interface Reaction {
  readonly name: string;
  readonly users: readonly string[];
}

/** A message as Slack keeps it. Never changed: an edit puts another in its place. */
export interface StoredMessage {
  readonly type: 'message';
  readonly ts: string;
  readonly channel: string;
  readonly user: string;
  readonly text: string;
  readonly team: string;
  /** Given for people of another workspace, and then as `team`. */
  readonly user_team?: string;
  readonly source_team?: string;
  readonly thread_ts?: string;
  readonly subtype?: string;
  readonly client_msg_id?: string;
  readonly bot_id?: string;
  readonly app_id?: string;
  readonly bot_profile?: { readonly id: string; readonly app_id: string; readonly name: string };
  /** How an app calls itself in this message. */
  readonly username?: string;
  readonly ephemeral_to?: string;
  readonly blocks?: readonly Block[];
  readonly files?: readonly Partial<SlackFile>[];
  readonly attachments?: readonly Readonly<Record<string, unknown>>[];
  readonly upload?: boolean;
  readonly metadata?: { readonly event_type: string; readonly event_payload: Record<string, unknown> };
  readonly reactions?: readonly Reaction[];
  readonly edited?: { readonly user: string; readonly ts: string };
}
