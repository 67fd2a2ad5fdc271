import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../../src/runtime/clock.ts';
import { SECRET, SIGNING_SECRET, settings } from '../../cli/support/settings.ts';
import { startTinySlack } from '../../cli/support/tiny-slack.ts';
import { createQuickFolder } from '../../model/support/quick-folder.ts';
import { startAgentApi } from '../../support/agent-api/agent-api.ts';
import { type ChildProgram, runProgram } from '../../support/child-program.ts';
import { fc } from '../../support/properties.ts';
import { scrape } from '../../support/scraped.ts';
import { FORGED, type HostileRequest, headersOf, hostileRequest } from './requests.ts';

const AT_ONCE = 8;
/** Of a request that met an error. */
const SHOWN_MAX = 4_000;
const PATIENCE_MS = 15_000;
/** Refusals of forged requests: not signed, or too large to look. */
const REFUSALS: ReadonlySet<number> = new Set([401, 413]);
/** Events that tell of an error of the program, not of the requests. */
const BUGS: ReadonlySet<unknown> = new Set([
  'listener_failed',
  'inbound_request_not_stored',
  'not_shown',
  'task_failed',
  'unhandled_rejection',
  // Bolt says so of an uncaught error, and of a missing answer.
  'slack_library',
]);

export interface HostileOptions {
  readonly requests: number;
  readonly seed: number;
  readonly note: (progress: string) => void;
}

export interface HostileResult {
  readonly forged: number;
  /** How many requests got the status 200. */
  readonly taken: number;
  /** What went wrong, in words. */
  readonly findings: readonly string[];
  /** The same of what only a long run on a machine with time to spare can tell. */
  readonly measured: readonly string[];
  readonly summary: string;
}

/** Slack gives up then. */
const LIMIT_MS = 3_000;
/** What the program's memory may have gained in the last four fifths. */
const MEMORY_GROWTH_MAX = 1.25;

/** Sends the real program, a process of its own in HTTP mode, what an attacker would, and looks what became of it. */
export async function runHostile({ requests, seed, note }: HostileOptions): Promise<HostileResult> {
  await using resources = new AsyncDisposableStack();
  let posts = 0;
  const posted = () => {
    posts += 1;
    return { ok: true, ts: `${1_700_000_000 + posts}.000100` };
  };
  const slack = resources.use(await startTinySlack({ 'chat.postMessage': posted }));
  const [apiKey, projectId] = [String(settings.AGENT_API_KEY), String(settings.AGENT_PROJECT_ID)];
  const script = () => ({ workMs: 1_000, ending: 'no_change' }) as const;
  const api = await startAgentApi({ apiKey, projectId, clock: systemClock, script });
  resources.defer(() => api.close());
  const dataDir = resources.use(await createQuickFolder());
  const places = { SLACK_API_URL: slack.apiUrl, AGENT_BASE_URL: api.baseUrl, DATA_DIR: dataDir.path };
  // A leak would end the program, and not only show.
  const program = resources.use(
    runProgram(['start'], { ...settings, ...places }, ['--max-old-space-size=256']),
  );
  const port = Number((await program.logged('started')).port);
  const url = `http://127.0.0.1:${port}/slack/events`;

  const statuses = new Map<number, number>();
  const forgedStatuses: number[] = [];
  const leaks = new Set<string>();
  const startedAtMs = performance.now();
  let forged = 0;
  let slowestMs = 0;
  let early = 0;
  const carryOut = async (number: number) => {
    const [request] = fc.sample(hostileRequest(number), { numRuns: 1, seed: seed * 1_000_000 + number });
    if (request === undefined) return;
    const { status, body, durationMs } = await send(url, request);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    slowestMs = Math.max(slowestMs, durationMs);
    if (request.forgery !== null) forged += 1;
    if (request.forgery !== null && !REFUSALS.has(status)) forgedStatuses.push(status);
    if (body.includes(SECRET)) leaks.add('an answer');
    if (status === 0 || status >= 500)
      note(`${status} for ${request.contentType}: ${request.body.slice(0, SHOWN_MAX)}`);
  };
  let next = 0;
  const work = async () => {
    while (next < requests && program.ending === null) {
      next += 1;
      if (next === Math.ceil(requests / 5)) early = await memoryOf(port);
      if (next % 2_500 === 0) note(`${next} sent`);
      await carryOut(next);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const seconds = Math.round((performance.now() - startedAtMs) / 1000);
  const late = await memoryOf(port);
  if (program.output().includes(SECRET)) leaks.add('the log');
  const stored = forgeriesIn(join(dataDir.path, 'docs-agent.db'));
  const answers = [...statuses]
    .toSorted(([a], [b]) => a - b)
    .map(([status, count]) => `${status} ${count} times`);
  const memory = `${Math.round(early / 2 ** 20)} MiB after a fifth, ${Math.round(late / 2 ** 20)} MiB at the end`;
  return {
    forged,
    taken: statuses.get(200) ?? 0,
    findings: [
      ...[...statuses.keys()]
        .filter((status) => status === 0 || status >= 500)
        .map((status) => `requests got the status ${status}`),
      ...forgedStatuses.map((status) => `a forged request got ${status}`),
      ...(stored > 0 ? [`${stored} rows hold what was forged`] : []),
      ...(program.ending === null ? [] : [`the program ended: ${program.ending}`]),
      ...bugsIn(program).map((event) => `it logged ${event}`),
      ...[...leaks].map((where) => `a secret stands in ${where}`),
    ],
    measured: [
      ...(slowestMs > LIMIT_MS ? [`an answer took ${Math.round(slowestMs)} ms`] : []),
      ...(late > early * MEMORY_GROWTH_MAX ? [`memory grew: ${memory}`] : []),
    ],
    summary: [
      `${requests} requests, ${forged} of them forged, in ${seconds} s; answers: ${answers.join(', ')}`,
      `the slowest answer took ${Math.round(slowestMs)} ms; memory of the program: ${memory}`,
    ].join('\n'),
  };
}

async function send(url: string, request: HostileRequest) {
  const startedAtMs = performance.now();
  const answered = (status: number, body: string) => ({
    status,
    body,
    durationMs: performance.now() - startedAtMs,
  });
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: headersOf(request, SIGNING_SECRET),
      body: request.body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return answered(response.status, await response.text());
  } catch {
    return answered(0, '');
  }
}

async function memoryOf(healthPort: number): Promise<number> {
  return (await scrape({ healthPort })).process_resident_memory_bytes ?? 0;
}

function bugsIn(program: ChildProgram): unknown[] {
  const bugs = program
    .log()
    .filter(({ event, level }) => BUGS.has(event) && (event !== 'slack_library' || level === 'error'));
  return bugs.map(({ event }) => event);
}

/** In all tables. */
function forgeriesIn(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
    return tables
      .flatMap(({ name }) => database.prepare(`select * from "${String(name)}"`).all())
      .filter((row) => JSON.stringify(row).includes(FORGED)).length;
  } finally {
    database.close();
  }
}
