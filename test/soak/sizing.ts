import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { DATABASE_FILE } from '../../src/store/engines/sqlite.ts';
import { openStore } from '../../src/store/open.ts';
import { startTinySlack } from '../cli/support/tiny-slack.ts';
import { runProgram } from '../support/child-program.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { activeAgentJob, storeWatchedJobs } from '../support/watched-jobs.ts';

// Watches many jobs at which the agent works, and prints what that takes: the figures of docs/operations/sizing.md.

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '60' },
  },
});
const jobs = Number(values.jobs);
const seconds = Number(values.seconds);
const PROJECT_ID = 'acme-docs';
const READS_PER_MINUTE = 100_000;

await using folder = await createTempDir();
await seed();
await using slack = await startTinySlack();
const api = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(activeAgentJob));
}).listen(0, '127.0.0.1');
await once(api, 'listening');

const startedAtMs = Date.now();
await using program = runProgram(['start'], {
  SLACK_BOT_TOKEN: 'xoxb-sizing',
  SLACK_SIGNING_SECRET: 'sizing',
  SLACK_API_URL: slack.apiUrl,
  AGENT_BASE_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
  AGENT_API_KEY: 'sizing',
  AGENT_PROJECT_ID: PROJECT_ID,
  AGENT_READS_PER_MINUTE: String(READS_PER_MINUTE),
  DATA_DIR: folder.path,
  HOST: '127.0.0.1',
  PORT: '0',
});
const { port } = await program.logged('started');
const startMs = Date.now() - startedAtMs;

const before = await readMetrics();
let residentBytes = 0;
for (let second = 0; second < seconds; second += 1) {
  await pause(1_000);
  residentBytes = Math.max(residentBytes, (await readMetrics()).residentBytes);
}
const after = await readMetrics();
const checks = after.checks - before.checks;
const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
console.log(`watched jobs               ${jobs}
start                      ${startMs} ms
checks                     ${checks}, ${Math.round((checks / seconds) * 60)} a minute
oldest due check           ${after.oldestCheckSeconds.toFixed(1)} s
CPU for 1,000 checks       ${checks === 0 ? '-' : ((cpuSeconds / checks) * 1_000).toFixed(2)} s
CPU                        ${((cpuSeconds / seconds) * 100).toFixed(0)} % of a core
memory at most (resident)  ${megabytes(residentBytes)} MiB
database                   ${megabytes(statSync(join(folder.path, DATABASE_FILE)).size)} MiB`);
api.close();
api.closeAllConnections();

async function seed(): Promise<void> {
  const store = await openStore({ dataDir: folder.path });
  const nowMs = Date.now();
  await storeWatchedJobs(store, {
    jobs,
    projectIds: [PROJECT_ID],
    dueAtMs: () => nowMs + 60_000 * Math.random(),
  });
  await store.close();
}

async function readMetrics() {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const sum = (pattern: RegExp) =>
    [...text.matchAll(pattern)].reduce((all, [, value]) => all + Number(value), 0);
  return {
    checks: sum(/^docs_agent_agent_calls_total\{[^}]*method="get_job"[^}]*\} (\S+)$/gm),
    cpuSeconds: sum(/^process_cpu_seconds_total (\S+)$/gm),
    residentBytes: sum(/^process_resident_memory_bytes (\S+)$/gm),
    oldestCheckSeconds: sum(/^docs_agent_oldest_due_task_seconds\{[^}]*task="check_job"[^}]*\} (\S+)$/gm),
  };
}

function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(0);
}
