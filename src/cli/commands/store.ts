import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseConfig, parseStoreConfig } from '#app/config/config.ts';
import { StartError } from '#app/service/workspaces.ts';
import { resealAll, unreadableTokens, Vault } from '#slack/install/vault.ts';
import { backUp } from '#store/backup.ts';
import { copyStore as copy } from '#store/copy.ts';
import { codeOf, StoreError } from '#store/engines/database.ts';
import { passwordsIn } from '#store/engines/postgres-errors.ts';
import { type Forgotten, forget as forgetIn, type Holdings, type Subject } from '#store/forget.ts';
import { migrateStore, openStore, placeOf, type StoreLocation } from '#store/open.ts';
import { EXIT_TEMPORARY, type Host, UsageError } from '../command.ts';

export async function migrate(args: string[], { env }: Host): Promise<number> {
  parseArgs({ args });
  const migrated = await migrateStore(parseStoreConfig(env));
  console.log(
    migrated.length === 0
      ? 'The schema is up to date: there was nothing to do.'
      : ['The schema was brought up to date:', ...migrated.map((name) => `  ${name}`)].join('\n'),
  );
  return 0;
}

export async function backup(args: string[], { env }: Host): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { keep: { type: 'string', default: '7' } },
  });
  const [named] = positionals;
  if (positionals.length > 1) throw new UsageError('Name one directory.');
  if (named?.trim() === '') throw new UsageError('The name of the directory is empty.');
  if (!/^[1-9]\d{0,3}$/.test(values.keep)) throw new UsageError('--keep must be a number from 1 to 9999.');
  const store = parseStoreConfig(env);
  if (store.kind === 'postgres') {
    throw new StoreError(
      'The store is in Postgres (DATABASE_URL), which has a tool for that: pg_dump -Fc <database> -f docs-agent.dump, with ' +
        'the password in PGPASSWORD or PGPASSFILE.',
    );
  }
  const { path, sizeBytes, deleted } = await backUp(store.dataDir, {
    directory: named ?? join(store.dataDir, 'backups'),
    keep: Number(values.keep),
    nowMs: Date.now(),
  });
  console.log(`Backed up and checked: ${path} (${(sizeBytes / 1024 ** 2).toFixed(1)} MiB)`);
  for (const old of deleted) console.log(`Deleted: ${old}`);
  return 0;
}

export async function copyStore(args: string[], { env }: Host): Promise<number> {
  const { values } = parseArgs({ args, options: { to: { type: 'string' }, 'to-file': { type: 'string' } } });
  const to = targetOf(values.to?.trim(), values['to-file']);
  const from = parseStoreConfig(env);
  await copy(from, to, {
    nowMs: Date.now(),
    onCopied: (table, rows) => console.log(`  ${table}: ${rows}`),
  });
  const setting =
    'dataDir' in to ? 'DATA_DIR to this directory, and remove DATABASE_URL' : 'DATABASE_URL to this database';
  console.log(
    `Copied and checked: ${placeOf(from)} → ${placeOf(to)}. Now set ${setting}, and start docs-agent.`,
  );
  return 0;
}

function targetOf(to = '', file: string | undefined): StoreLocation {
  if ((file === undefined) === (to === '')) {
    throw new UsageError(
      'Name the target: --to postgres://user@host:5432/database, --to a directory, or --to-file a file with the address.',
    );
  }
  const target = file === undefined ? to : contentOf(file);
  if (!/^postgres(ql)?:/.test(target)) return { dataDir: target };
  if (file === undefined && passwordsIn(target).length > 0) {
    throw new UsageError(
      'The address in --to has a password, which everybody on this machine can read in the list of processes. Leave it out ' +
        'and set PGPASSWORD, or put the address into a file that only you can read, and name that: --to-file <path>.',
    );
  }
  return { databaseUrl: target };
}

function contentOf(path: string) {
  let content: string;
  try {
    content = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new UsageError(
      `The file of --to-file cannot be read (${codeOf(error) ?? 'unknown error'}): ${path}`,
    );
  }
  if (content === '') throw new UsageError(`The file of --to-file is empty: ${path}`);
  return content;
}

export async function reencryptTokens(args: string[], { env }: Host): Promise<number> {
  parseArgs({ args });
  const config = parseConfig(env);
  const { installing } = config.slack;
  if (installing.kind !== 'oauth') {
    throw new StartError('There are no tokens to encrypt: the settings name one bot token, SLACK_BOT_TOKEN.');
  }
  const vault = new Vault(installing.encryptionKeys);
  const store = await openStore(config.store);
  try {
    const { resealed, installations, unreadable } = await resealAll(store, vault);
    const byKey = Map.groupBy(installations, ({ token }) => token.keyId);
    const inUse = [...byKey].map(([id, tokens]) => `${id} (${tokens.length})`).join(', ');
    console.log(
      `Encrypted the tokens of ${resealed} installation${resealed === 1 ? '' : 's'} with the key ${vault.keyId}. ` +
        `Keys in use: ${inUse || 'none, as nothing is installed'}.`,
    );
    if (unreadable.length > 0) throw new StartError(unreadableTokens(unreadable));
    return 0;
  } finally {
    await store.close();
  }
}

const HOLDINGS: Readonly<Record<keyof Holdings, string>> = {
  jobs: 'jobs, with their replies and calls: deleted',
  replies: 'replies in jobs of others: emptied',
  calls: 'calls of these jobs that repeat such words: emptied',
  mentions: 'other texts that name it: the name is removed',
  rows: 'settings, home tabs, lines of the audit and the like: deleted, or the name is removed',
};

const IDS = {
  team: [/^[TE][A-Z0-9]{2,}$/, 'T0123456789'],
  channel: [/^[CGD][A-Z0-9]{2,}$/, 'C0123456789'],
  user: [/^[UW][A-Z0-9]{2,}$/, 'U0123456789'],
} as const;

/** Without `--yes`, only reports. */
export async function forget(args: string[], { env, now }: Host): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      user: { type: 'string' },
      channel: { type: 'string' },
      team: { type: 'string' },
      yes: { type: 'boolean', default: false },
    },
  });
  const { user, channel, team, yes } = values;
  if ((user === undefined) === (channel === undefined)) {
    throw new UsageError('Name either --user or --channel.');
  }
  for (const [option, [form, example]] of Object.entries(IDS)) {
    const given = values[option as keyof typeof IDS];
    if (given !== undefined && !form.test(given)) {
      throw new UsageError(`--${option} must be a Slack id, such as ${example}.`);
    }
  }
  const kind = user === undefined ? 'channel' : 'user';
  const subject: Subject = { kind, id: user ?? channel ?? '', teamId: team ?? null };
  const forgotten = await forgetIn(parseStoreConfig(env), subject, { dry: !yes, nowMs: now() });
  console.log(forgetReport(subject, forgotten, yes));
  return forgotten.openWork.length === 0 ? 0 : EXIT_TEMPORARY;
}

function forgetReport({ kind, id }: Subject, { holdings, openWork }: Forgotten, isMeant: boolean) {
  const found = Object.entries(HOLDINGS).flatMap(([name, words]) => {
    const count = holdings[name as keyof Holdings];
    return count === 0 ? [] : `  ${count} × ${words}`;
  });
  if (found.length === 0) return `The store holds nothing about the ${kind} ${id}.`;
  const isErased = isMeant && openWork.length === 0;
  const end = isMeant ? 'All of this was erased.' : 'Nothing has been erased yet. To erase it, add --yes.';
  const open = [
    'Nothing was erased, because these jobs, or replies or posts of them, are still under way:',
    ...openWork.map(
      ({ jobId, channelId, threadTs }) =>
        `  job ${jobId} in ${channelId}${threadTs === null ? '' : `, thread ${threadTs}`}`,
    ),
    'Wait until these jobs are over, or stop watching them in their threads. Then run this again.',
  ];
  return [
    `The store ${isErased ? 'held' : 'holds'} this about the ${kind} ${id}:`,
    ...found,
    ...(openWork.length === 0 ? [end] : open),
  ].join('\n');
}
