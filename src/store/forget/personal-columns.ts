import type { Tables } from '../schema/tables.ts';

export type SubjectKind = 'user' | 'channel';

/** How many of each kind the store holds, or held, of somebody. */
export interface Holdings {
  /** With their replies and calls. */
  readonly jobs: number;
  /** In jobs of others. */
  readonly replies: number;
  /** Of such jobs, which repeat the words of replies. */
  readonly calls: number;
  /** Other texts that name the person or the channel. */
  readonly mentions: number;
  readonly early_replies: number;
  readonly homes: number;
  readonly settings: number;
}

interface IdColumn {
  readonly table: keyof Tables;
  readonly column: string;
  readonly holds: SubjectKind;
  /** Deletes the row, or puts `forgotten` in place of the id. */
  readonly erase: 'row' | 'id';
  readonly countedAs: keyof Holdings | null;
  readonly teamColumn: 'team_id' | 'id';
}

/**
 * The columns with the id of a person or a channel, but for those of a job and its replies: jobs go with all that
 * belongs to them (`erase.ts`), and replies in jobs of others are emptied (`scrub.ts`).
 */
export const idColumns: readonly IdColumn[] = [
  row('early_reply', 'user_id', 'user', 'early_replies'),
  row('early_reply', 'channel_id', 'channel', 'early_replies'),
  row('past_notice', 'channel_id', 'channel', null),
  row('home', 'user_id', 'user', 'homes'),
  row('channel_setting', 'channel_id', 'channel', 'settings'),
  { ...row('channel_setting', 'changed_by', 'user', 'settings'), erase: 'id' },
  { ...row('installation', 'installer_id', 'user', 'settings'), erase: 'id', teamColumn: 'id' },
];

function row(
  table: keyof Tables,
  column: string,
  holds: SubjectKind,
  countedAs: keyof Holdings | null,
): IdColumn {
  return { table, column, holds, erase: 'row', countedAs, teamColumn: 'team_id' };
}

/** The columns of texts that may name a person or a channel; `unique` must differ from row to row. */
export const textColumns = {
  job: { key: ['id'], texts: ['data'], unique: null },
  follow_up: { key: ['id'], texts: ['text', 'more'], unique: null },
  call: { key: ['id'], texts: ['lane', 'request', 'detail'], unique: 'natural_key' },
  early_reply: {
    key: ['team_id', 'channel_id', 'thread_ts', 'message_ts'],
    texts: ['text', 'more'],
    unique: null,
  },
} as const;

export type TextTable = keyof typeof textColumns;
