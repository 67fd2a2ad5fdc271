import type { Tables } from '../schema/tables.ts';

export type SubjectKind = 'user' | 'channel';

/** What the store holds of somebody, in numbers. */
export interface Holdings {
  /** With their replies and calls. */
  readonly jobs: number;
  /** In jobs of others. */
  readonly replies: number;
  /** In such jobs, which repeat the words of replies. */
  readonly calls: number;
  /** Other texts that name the person or the channel. */
  readonly mentions: number;
  readonly early_replies: number;
  readonly homes: number;
  readonly settings: number;
  /** Lines of the audit. */
  readonly audit_entries: number;
}

interface IdColumn {
  readonly table: keyof Tables;
  readonly column: string;
  readonly holds: SubjectKind;
  /** Deletes the row, or replaces the id with `forgotten`. */
  readonly erase: 'row' | 'id';
  readonly countedAs: keyof Holdings | null;
  readonly teamColumn: 'teamId' | 'id';
}

/** Columns with the id of a person or a channel. */
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

/** Texts that may name a person or a channel; `unique` must differ from row to row. */
export const textColumns = {
  job: { key: ['id'], texts: ['data'], unique: null },
  followUp: { key: ['id'], texts: ['text', 'more'], unique: null },
  call: { key: ['id'], texts: ['lane', 'request', 'detail'], unique: 'naturalKey' },
  earlyReply: {
    key: ['teamId', 'channelId', 'threadTs', 'messageTs'],
    texts: ['text', 'more'],
    unique: null,
  },
  // What people write at the code host, and by which names.
  pullRequest: { key: ['teamId', 'key'], texts: ['facts', 'memory'], unique: null },
} as const;

export type TextTable = keyof typeof textColumns;

/**
 * Personal columns with code of their own: jobs and their tasks are deleted as a whole, settings lose the channel
 * (`erase.ts`), and replies in jobs of others are emptied.
 */
const erasedByCode = {
  job: 'channelId requesterId',
  followUp: 'userId',
  task: 'id subject groupKey',
  channelSetting: 'data',
};

/** Columns that name neither a person nor a channel, and hold nothing that people wrote. */
const impersonal = {
  auditEntry: 'at id teamId action source jobId outcome',
  backupOrigin: 'installationId sequence',
  budgetQueue: 'jobId kind projectId seq passedUntil',
  callPause: 'projectId at until refusals',
  call: 'seq id jobId projectId kind state createdAt startedAt endedAt heldSince',
  catchUp:
    'jobId teamId urgency requestedAt requestCount sweepFrom seenTs oldestTs cursor oldReplies failures',
  channelSetting: 'teamId changedAt',
  earlyReply: 'teamId threadTs messageTs editedTs receivedAt',
  followUp: 'id jobId messageTs editedTs receivedAt state callId receiptShown receiptsTried',
  // Keys are digests.
  inboundRequest: 'key at',
  heartbeat: 'id beats',
  moved: 'place at',
  replica: 'id connections otherConnections seenAt',
  home: 'teamId openedAt',
  installation:
    'id isOrganisation enterpriseId botUserId botId workspaceUrl scopes installedAt keyId botToken ' +
    'revision',
  job: 'id teamId threadTs projectId requestedAt stage agentJobId hasPullRequest cardDrawnAt number',
  jobCount: 'teamId lastNumber',
  jobPullRequest: 'jobId teamId key url isOld',
  organisationTeam: 'teamId enterpriseId',
  pastNotice: 'teamId digest',
  pastThread: 'teamId threadTs at',
  pullRequest: 'teamId key watchedFrom lookedAt changedAt outcome misses',
  // Keys are digests, answers hold the id of a job, or why a step was refused.
  hookAnswer: 'key at answer',
  recipe: 'teamId name jobId failures hasFailed pausedAt',
  schedule: 'teamId name schedule servedUntil',
  readBudget: 'projectId wholeAt slowedAt slowedShare slowedUntil',
  stepToken: 'jobId token until',
  task: 'jobId kind runAt leaseToken leaseUntil attempts revision lastRunAt unknownUntil failingSince failure',
};

/** Every column of the schema, as `table.column` in camel case, with whether it is personal. */
export function classifiedColumns(): { readonly personal: string[]; readonly impersonal: string[] } {
  const ids = idColumns.map(({ table, column }) => `${table}.${column}`);
  const texts = Object.entries(textColumns).flatMap(([table, { texts, unique }]) =>
    [...texts, ...(unique === null ? [] : [unique])].map((column) => `${table}.${column}`),
  );
  return { personal: [...ids, ...texts, ...listed(erasedByCode)], impersonal: listed(impersonal) };
}

function listed(columns: Readonly<Record<string, string>>): string[] {
  return Object.entries(columns).flatMap(([table, names]) =>
    names.split(' ').map((name) => `${table}.${name}`),
  );
}
