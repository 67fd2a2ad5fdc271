import { appendFileSync } from 'node:fs';
import { SnippetReader } from '../../../../src/slack/workspace/snippet-reader.ts';
import { SqlStore, type Transaction } from '../../../../src/store/store.ts';
import { commitNames, watched } from './commit-notes.ts';

/** Loaded into the program by `--import`: lists its commits, and kills it at the given one. */
const { CRASH_LOG: logFile, CRASH_AT: name, CRASH_WHEN: when, CRASH_NTH: nth } = process.env;
if (logFile === undefined) throw new Error('CRASH_LOG: where to list the commits');

let timesReached = 0;

async function reached(names: readonly string[], moment: 'before' | 'after'): Promise<void> {
  if (moment !== when || name === undefined || !names.includes(name)) return;
  timesReached += 1;
  if (timesReached < Number(nth)) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
}

const transaction = SqlStore.prototype.transaction;
SqlStore.prototype.transaction = async function <T>(
  this: SqlStore,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  let names: string[] = [];
  const result = await transaction.call(this, async (tx: Transaction) => {
    const actions: Parameters<typeof watched>[1] = [];
    const done = await work(watched(tx, actions));
    names = commitNames(actions);
    await reached(names, 'before');
    return done;
  });
  for (const committed of names) appendFileSync(logFile, `${committed}\n`);
  await reached(names, 'after');
  return result as T;
};

const { read } = SnippetReader.prototype;
/** What people sent along lies at an address that Slack gave, past the gate: it is asked for through it. */
SnippetReader.prototype.read = function (snippet, maxLength) {
  const { SLACK_API_URL: apiUrl } = process.env;
  const url = new URL(new URL(snippet.url ?? '').pathname, apiUrl).href;
  return read.call(this, { ...snippet, url }, maxLength);
};

const { fetch } = globalThis;
/** A private answer goes to an address that Slack gave, past the proxies. */
globalThis.fetch = async (address, init) => {
  const names = String(init?.body).includes('"response_type"') ? ['POST response_url'] : [];
  await reached(names, 'before');
  const response = await fetch(address, init);
  for (const done of names) appendFileSync(logFile, `${done}\n`);
  await reached(names, 'after');
  return response;
};
