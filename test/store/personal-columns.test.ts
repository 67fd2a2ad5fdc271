import { expect, test } from 'vitest';
import { idColumns, textColumns } from '../../src/store/forget.ts';
import { openDatabase } from '../../src/store/open.ts';
import { describeOnDatabases } from '../support/databases.ts';

/**
 * Personal columns with code of their own: jobs and their tasks are deleted as a whole, settings lose the channel
 * (`forget.ts`), and replies in jobs of others are emptied.
 */
const erasedByCode = {
  // Kept only until the call has an outcome.
  call: 'sent',
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
  channelSetting: 'teamId',
  earlyReply: 'teamId threadTs messageTs editedTs receivedAt',
  followUp: 'id jobId messageTs editedTs receivedAt state callId receiptShown receiptsTried',
  // Keys are digests.
  inboundRequest: 'key at',
  heartbeat: 'id beats',
  moved: 'place at',
  replica: 'id connections otherConnections seenAt',
  home: 'teamId openedAt',
  installation:
    'id isOrganisation enterpriseId botUserId botId workspaceUrl scopes installedAt keyId botToken',
  job: 'id teamId threadTs projectId requestedAt stage agentJobId hasPullRequest cardDrawnAt number',
  jobCount: 'teamId lastNumber',
  jobPullRequest: 'jobId teamId key url',
  organisationTeam: 'teamId enterpriseId',
  pastNotice: 'teamId digest',
  pastThread: 'teamId threadTs at',
  pullRequest: 'teamId key watchedFrom changedAt outcome misses',
  // Keys are digests, answers hold the id of a job, or why a step was refused.
  hookAnswer: 'key at answer',
  recipe: 'teamId name jobId failures hasFailed pausedAt',
  schedule: 'teamId name schedule servedUntil',
  readBudget: 'projectId wholeAt slowedAt slowedShare slowedUntil',
  stepToken: 'jobId token until',
  task: 'jobId kind runAt leaseToken leaseUntil attempts revision lastRunAt unknownUntil failingSince failure',
};

describeOnDatabases('every column of the schema', (make) => {
  test('is known to `forget`, or to hold nothing about a person or a channel', async () => {
    const { location, remove } = await make();
    const { database } = await openDatabase(location);
    const tables = await database.queries.introspection.getTables();
    await database.close();
    await remove();
    const columns = tables.flatMap((table) =>
      table.columns.map(({ name }) => inCamelCase(`${table.name}.${name}`)),
    );
    const ids = idColumns.map(({ table, column }) => `${table}.${column}`);
    const texts = Object.entries(textColumns).flatMap(([table, { texts }]) =>
      texts.map((column) => `${table}.${column}`),
    );
    const known = [...ids, ...texts, ...listed(erasedByCode), ...listed(impersonal)];
    expect(known.toSorted()).toEqual(columns.toSorted());
  });
});

function inCamelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function listed(columns: Readonly<Record<string, string>>): string[] {
  return Object.entries(columns).flatMap(([table, names]) =>
    names.split(' ').map((name) => `${table}.${name}`),
  );
}
