import type { SlackMessage } from '../local-slack.ts';
import { callIdsIn } from './at-rest.ts';
import type { CallRow, JobRows } from './rows.ts';
import type { NotedCommit } from './watch.ts';
import type { AgentTook, OutwardCall } from './world.ts';

/** What happened around programs that are processes. */
export interface Noted {
  /** In the order of time. */
  readonly steps: readonly (NotedCommit | OutwardCall)[];
  /** Of all places, when all is over. */
  readonly messages: readonly SlackMessage[];
}

type MicroOperation = readonly ['append', string, string] | readonly ['r', string, readonly string[] | null];

/** A line of a history as elle-cli reads it in JSON, with the model list-append. */
export interface Operation {
  readonly index: number;
  readonly type: 'invoke' | 'ok' | 'fail' | 'info';
  readonly f: 'txn';
  readonly process: number;
  /** The elements of a read that begins: null. */
  readonly value: readonly MicroOperation[];
}

/** A call that was under way once. */
interface Made {
  readonly row: CallRow;
  readonly list: string;
  /** Each text that it appends, and what it is called there: with a number if it was sent before. */
  readonly texts: ReadonlyMap<string, string>;
  readonly startMs: number;
  readonly endMs: number;
}

/** Elements of lists, in their order. */
type Reading = readonly (readonly [list: string, element: string])[];

/**
 * The history as transactions on lists. A thread, named by its request, is a list of what the agent is asked for:
 * the request, then the replies. A channel is a list of posts. A call appends; `info`: its fate is unknown. In the
 * end all lists are read twice: as the agent and Slack have them, and as threads and ledger show them. What nobody
 * sent counts as sent in vain. Where a person sent something again, the thread's order says nothing: it is not read.
 * Requests must differ, and so must the replies of a thread.
 */
export function elleHistory({ steps, messages }: Noted): Operation[] {
  const { made, jobs } = stored(steps);
  const posts = made
    .filter(({ row, texts }) => row.state === 'done' && texts.has(row.id))
    .toSorted(({ row: one }, { row: other }) => Number(one.detail) - Number(other.detail));
  const confirmed = posts.map(({ list, row }) => [list, row.id] as const);
  const others = new Set(made.flatMap(({ row, texts }) => (texts.has(row.id) ? [] : [row.id])));
  const idAt = new Map(posts.map(({ list, row }) => [`${list} ${row.detail}`, row.id]));
  const ordered = messages.toSorted((one, other) => Number(one.ts) - Number(other.ts));
  const inSlack = ordered.flatMap((message) => {
    // Cards that changed are known by their place alone.
    const id = callIdsIn(message)[0] ?? idAt.get(`${message.channel} ${message.ts}`);
    return id === undefined || others.has(id) ? [] : [[message.channel, id] as const];
  });
  const heard = steps.flatMap((step) => ('to' in step && step.to === 'agent' ? heardIn(step, made) : []));
  const shown = jobs.flatMap((rows) => shownIn(rows, made));
  return operations(made, [heard, shown, inSlack, confirmed]);
}

function stored(steps: Noted['steps']) {
  const made = new Map<string, Made>();
  const jobs = new Map<string, JobRows>();
  const versions = new Map<string, number>();
  const times = new Map<string, number>();
  const nameIn = (list: string, text: string) => {
    const time = (times.get(`${list}\n${text}`) ?? 0) + 1;
    times.set(`${list}\n${text}`, time);
    return time === 1 ? text : `${text} (${time})`;
  };
  for (const step of steps.filter((one) => 'jobs' in one)) {
    for (const [jobId, rows] of step.jobs) {
      if (rows === null || step.version < (versions.get(jobId) ?? 0)) continue;
      versions.set(jobId, step.version);
      jobs.set(jobId, rows);
      for (const row of rows.calls) {
        const past = made.get(row.id);
        if (past === undefined && row.startedAt === null) continue;
        const { list, texts: plain } = appended(row, rows);
        const texts = past?.texts ?? new Map(plain.map((text) => [text, nameIn(list, text)]));
        const isSame = past?.row.state === row.state;
        const endMs = isSame ? past.endMs : row.endedAt === null ? Number.MAX_VALUE : step.untilMs;
        made.set(row.id, { row, list, texts, startMs: past?.startMs ?? step.atMs, endMs });
      }
    }
  }
  return { made: [...made.values()], jobs: [...jobs.values()] };
}

function appended({ id, request }: CallRow, { job, followUps }: JobRows) {
  const { prompt, channelId } = job;
  if (request.kind === 'create_job') return { list: prompt, texts: [prompt] };
  if (request.kind === 'notify_channel') return { list: request.channelId, texts: [id] };
  if (request.kind === 'post_card' || request.kind === 'announce') return { list: channelId, texts: [id] };
  const replies = followUps.filter(({ callId }) => callId === id && request.kind === 'send_message');
  return { list: prompt, texts: replies.map(({ text }) => text) };
}

/** An attempt arrives before the next one begins. */
function heardIn({ operation, agentJobId, prompt, atMs }: AgentTook, made: readonly Made[]): Reading {
  if (operation === 'cancel' || prompt === null) return [];
  const call = made.findLast(({ row: { request }, startMs }) => {
    if (startMs > atMs || !('prompt' in request) || request.prompt !== prompt) return false;
    return request.kind === 'create_job' ? operation === 'create' : request.agentJobId === agentJobId;
  });
  if (call === undefined) return [[agentJobId, prompt]];
  const texts = [...call.texts].toSorted(([one], [other]) => prompt.indexOf(one) - prompt.indexOf(other));
  return texts.map(([, element]) => [call.list, element]);
}

function shownIn({ job, followUps }: JobRows, made: readonly Made[]): Reading {
  const sent = made.filter(({ list, row }) => list === job.prompt && row.state !== 'failed');
  const names = new Map(sent.flatMap(({ texts }) => [...texts]));
  if (names.size < sent.reduce((count, { texts }) => count + texts.size, 0)) return [];
  const starts = sent.filter(({ row }) => row.kind === 'create_job');
  const isStarted = starts.some(({ row }) => row.state === 'done');
  // What went along with the request is part of it.
  const replies = followUps.filter(({ callId }) => !starts.some(({ row }) => row.id === callId));
  const texts = replies.flatMap(({ state, text }) => (state === 'sent' ? [text] : []));
  const shown = [...(isStarted ? [job.prompt] : []), ...texts];
  return shown.map((text) => [job.prompt, names.get(text) ?? text]);
}

function operations(made: readonly Made[], readings: readonly Reading[]): Operation[] {
  const appends = made.map(({ list, texts, row: { state }, startMs, endMs }) => {
    const value = [...texts.values()].map((element) => ['append', list, element] as const);
    const type = state === 'done' ? 'ok' : state === 'failed' ? 'fail' : 'info';
    return { startMs, endMs, asked: value, value, type } as const;
  });
  const sent = new Set(appends.flatMap(({ value }) => value.map(String)));
  const read = readings.flat().map(([list, element]) => ['append', list, element] as const);
  const unsent = read.filter((append) => !sent.has(String(append)) && sent.add(String(append)));
  const inVain = { startMs: 0, endMs: 0, asked: unsent, value: unsent, type: 'fail' } as const;
  const reads = readings.map((reading) => {
    const lists = [...Map.groupBy(reading, ([list]) => list)];
    const value = lists.map(([list, all]) => ['r', list, all.map(([, element]) => element)] as const);
    const asked = lists.map(([list]) => ['r', list, null] as const);
    return { startMs: Infinity, endMs: Infinity, asked, value, type: 'ok' } as const;
  });
  const all = [inVain, ...appends, ...reads].filter(({ value }) => value.length > 0);
  // What is noted at the same time may have overlapped: starts come first.
  const moments = [true, false]
    .flatMap((isStart) => all.map((one) => ({ one, isStart, atMs: isStart ? one.startMs : one.endMs })))
    .toSorted((one, other) => (one.atMs === other.atMs ? 0 : one.atMs - other.atMs));
  const underWay: unknown[] = [];
  return moments.map(({ one, isStart }, index) => {
    const process = isStart ? [...underWay, null].indexOf(null) : underWay.indexOf(one);
    // The process of an unknown one is never free again.
    if (isStart || one.type !== 'info') underWay[process] = isStart ? one : null;
    const { type, value } = isStart ? ({ type: 'invoke', value: one.asked } as const) : one;
    return { index, type, f: 'txn', process, value };
  });
}
