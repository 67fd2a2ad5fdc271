import type { Tables } from '../schema/tables.ts';

export type SubjectKind = 'user' | 'channel';

/** What the store holds of somebody, in numbers. */
export type Holdings = Readonly<{
  /** With their replies and calls. */
  jobs: number;
  /** In jobs of others. */
  replies: number;
  /** In such jobs, which repeat the words of replies. */
  calls: number;
  /** Other texts that name the person or the channel. */
  mentions: number;
  early_replies: number;
  homes: number;
  settings: number;
  audit_entries: number;
}>;

type IdColumn = Readonly<{
  table: keyof Tables;
  column: string;
  holds: SubjectKind;
  /** Deletes the row, or replaces the id with `forgotten`. */
  erase: 'row' | 'id';
  countedAs: keyof Holdings | null;
  teamColumn: 'teamId' | 'id';
}>;

/**
 * Columns with the id of a person or a channel. `test/store/personal-columns.test.ts` classifies every column of
 * the schema, also those that other code erases.
 */
export const idColumns: readonly IdColumn[] = [
  row('earlyReply', 'userId', 'user', 'early_replies'),
  row('earlyReply', 'channelId', 'channel', 'early_replies'),
  row('pastNotice', 'channelId', 'channel', null),
  row('pastThread', 'channelId', 'channel', null),
  row('home', 'userId', 'user', 'homes'),
  row('auditEntry', 'userId', 'user', 'audit_entries'),
  row('channelSetting', 'channelId', 'channel', 'settings'),
  { ...row('channelSetting', 'changedBy', 'user', 'settings'), erase: 'id' },
  { ...row('installation', 'installerId', 'user', 'settings'), erase: 'id', teamColumn: 'id' },
];

function row(
  table: keyof Tables,
  column: string,
  holds: SubjectKind,
  countedAs: keyof Holdings | null,
): IdColumn {
  return { table, column, holds, erase: 'row', countedAs, teamColumn: 'teamId' };
}

/** Texts that may name a person or a channel. */
export const textColumns = {
  job: { key: ['id'], texts: ['data'] },
  followUp: { key: ['id'], texts: ['text', 'more'] },
  call: { key: ['id'], texts: ['lane', 'request', 'detail', 'naturalKey'] },
  earlyReply: { key: ['teamId', 'channelId', 'threadTs', 'messageTs'], texts: ['text', 'more'] },
  // What people write at the code host, and by which names.
  pullRequest: { key: ['teamId', 'key'], texts: ['facts', 'memory'] },
} as const;

export type TextTable = keyof typeof textColumns;
