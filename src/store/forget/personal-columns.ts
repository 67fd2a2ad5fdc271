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
  readonly teamColumn: 'team_id' | 'id';
}

/** Columns with the id of a person or a channel. */
export const idColumns: readonly IdColumn[] = [
  row('early_reply', 'user_id', 'user', 'early_replies'),
  row('early_reply', 'channel_id', 'channel', 'early_replies'),
  row('past_notice', 'channel_id', 'channel', null),
  row('past_thread', 'channel_id', 'channel', null),
  row('home', 'user_id', 'user', 'homes'),
  row('audit_entry', 'user_id', 'user', 'audit_entries'),
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

/** Texts that may name a person or a channel; `unique` must differ from row to row. */
export const textColumns = {
  job: { key: ['id'], texts: ['data'], unique: null },
  follow_up: { key: ['id'], texts: ['text', 'more'], unique: null },
  call: { key: ['id'], texts: ['lane', 'request', 'detail'], unique: 'natural_key' },
  early_reply: {
    key: ['team_id', 'channel_id', 'thread_ts', 'message_ts'],
    texts: ['text', 'more'],
    unique: null,
  },
  // What people write at the code host, and by which names.
  pull_request: { key: ['team_id', 'key'], texts: ['facts', 'memory'], unique: null },
} as const;

export type TextTable = keyof typeof textColumns;

/**
 * Personal columns with code of their own: jobs and their tasks are deleted as a whole, settings lose the channel
 * (`erase.ts`), and replies in jobs of others are emptied.
 */
const erasedByCode = {
  job: 'channel_id requester_id',
  follow_up: 'user_id',
  task: 'id subject group_key',
  channel_setting: 'data',
};

/** Columns that name neither a person nor a channel, and hold nothing that people wrote. */
const impersonal = {
  audit_entry: 'at id team_id action source job_id outcome',
  backup_origin: 'installation_id sequence',
  budget_queue: 'job_id kind project_id seq passed_until',
  call_pause: 'project_id at until refusals',
  call: 'seq id job_id project_id kind state created_at started_at ended_at held_since',
  catch_up:
    'job_id team_id urgency requested_at request_count sweep_from seen_ts oldest_ts cursor old_replies failures',
  channel_setting: 'team_id changed_at',
  early_reply: 'team_id thread_ts message_ts edited_ts received_at',
  follow_up: 'id job_id message_ts edited_ts received_at state call_id receipt_shown receipts_tried',
  // Keys are digests.
  inbound_request: 'key at',
  heartbeat: 'id beats',
  moved: 'place at',
  replica: 'id connections other_connections seen_at',
  home: 'team_id opened_at',
  installation:
    'id is_organisation enterprise_id bot_user_id bot_id workspace_url scopes installed_at key_id bot_token ' +
    'revision',
  job: 'id team_id thread_ts project_id requested_at stage agent_job_id has_pull_request card_drawn_at number',
  job_count: 'team_id last_number',
  job_pull_request: 'job_id team_id key url is_old',
  organisation_team: 'team_id enterprise_id',
  past_notice: 'team_id digest',
  past_thread: 'team_id thread_ts at',
  pull_request: 'team_id key watched_from looked_at changed_at outcome misses',
  // Keys are digests, answers hold the id of a job, or why a step was refused.
  hook_answer: 'key at answer',
  recipe: 'team_id name job_id failures has_failed paused_at',
  schedule: 'team_id name schedule served_until',
  read_budget: 'project_id whole_at slowed_at slowed_share slowed_until',
  step_token: 'job_id token until',
  task: 'job_id kind run_at lease_token lease_until attempts revision last_run_at unknown_until failing_since failure',
};

/** Every column of the schema, as `table.column`, with whether it is personal. */
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
