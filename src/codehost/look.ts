import type { Clock } from '../engine/runtime/clock.ts';
import type { Logger } from '../engine/runtime/redact.ts';
import type { PullRequestLink } from '../jobs/pull-requests/link.ts';
import { isOver, type PullRequestFacts } from '../jobs/pull-requests/pull-request.ts';
import {
  type Authorization,
  type Credentials,
  type HostClient,
  laterError,
  UnreadableError,
} from './client/host-client.ts';
import type { Look } from './code-hosts.ts';
import type { Dialect, OtherReading, Read } from './dialect.ts';
import { type LookMemory, READINGS, type Reading, type TaggedAnswer } from './look-memory.ts';

const LOOK_TIMEOUT_MS = 25_000;

/** A code host, and how it is asked. */
export interface HostAccess {
  readonly dialect: Dialect;
  readonly client: HostClient;
  readonly credentials: Credentials;
  readonly clock: Clock;
}

/** One check: the details first, then the rest side by side, as far as it can still change. */
export function look(host: HostAccess, link: PullRequestLink, before: LookMemory | null): Promise<Look> {
  const { dialect, clock, credentials } = host;
  const base = dialect.repositoryPath(link);
  return clock.abortAfter(LOOK_TIMEOUT_MS, async (signal) => {
    try {
      const visit = { ...host, signal, base, authorization: await credentials.authorize(base, signal) };
      const reader = rememberingReader(visit, before?.details);
      const { facts, commit } = await dialect.details(reader.read, link.number);
      const details = { facts, ...(commit === null ? {} : { commit }), readAtMs: clock.now() };
      const others = isOver(facts)
        ? withoutDetails(before)
        : await readOthers({ ...visit, base: reader.base() }, link.number, commit, before);
      const memory: LookMemory = { ...others, details: { ...details, answers: reader.answers } };
      return { outcome: 'seen', facts: factsOf(memory), memory };
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      if (error.failure.kind === 'bad_credentials') credentials.rejected(base);
      return unseen(error);
    }
  });
}

type Visit = HostAccess & {
  readonly signal: AbortSignal;
  readonly base: string;
  readonly authorization: Authorization;
};

function withoutDetails(before: LookMemory | null): LookMemory {
  const { details: _details, ...others } = before ?? {};
  return others;
}

async function readOthers(
  visit: Visit,
  number: number,
  commit: string | null,
  before: LookMemory | null,
): Promise<LookMemory> {
  const names = READINGS.filter((name) => name !== 'details');
  const readings = names.map(async (name) => {
    const other = visit.dialect.others[name];
    if (commit === null || other === undefined) return [];
    return [[name, await readOther(visit, other, { number, commit }, before?.[name])] as const];
  });
  return Object.fromEntries((await Promise.all(readings)).flat());
}

/** One of the other readings; if it cannot be read, its last state with the problem. */
async function readOther(
  visit: Visit,
  { permissions, isOfCommit, read }: OtherReading,
  pullRequest: { readonly number: number; readonly commit: string },
  before: Reading | undefined,
): Promise<Reading> {
  const about = isOfCommit ? { commit: pullRequest.commit } : {};
  const reader = rememberingReader(visit, before);
  try {
    const missing: string[] = [];
    const facts = await read(reader.read, pullRequest, (permission) => missing.push(permission));
    return {
      ...{ facts, ...about, readAtMs: visit.clock.now(), answers: reader.answers },
      ...(missing.length > 0 && { problem: { kind: 'missing_permission', permissions: missing } as const }),
    };
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    const isDenied = ['forbidden', 'not_found'].includes(error.failure.kind);
    if (isDenied) return { facts: {}, problem: { kind: 'missing_permission', permissions }, answers: {} };
    const known = before ?? { facts: {}, ...about };
    const answers = { ...before?.answers, ...reader.answers };
    return { ...known, problem: { kind: 'unavailable' }, answers };
  }
}

/** Reads with the tags of earlier answers, and collects the new answers for the next check. */
function rememberingReader(visit: Visit, before: Reading | undefined) {
  const answers: Record<string, TaggedAnswer> = {};
  let { base } = visit;
  const read: Read = async (rest, schema) => {
    const earlier = before?.answers[rest];
    const kept = earlier === undefined ? undefined : schema.safeParse(earlier.body).data;
    const etag = earlier === undefined || kept === undefined ? null : earlier.etag;
    const { authorization, signal } = visit;
    const answer = await visit.client.get({ base, rest, authorization, etag, signal });
    base = answer.base;
    if (answer.kind === 'unchanged' && earlier !== undefined && kept !== undefined) {
      answers[rest] = earlier;
      return kept;
    }
    const { data, error } = schema.safeParse(answer.kind === 'read' ? answer.body : undefined);
    if (error !== undefined) throw laterError('bad_answer');
    if (answer.kind === 'read' && answer.etag !== null) answers[rest] = { etag: answer.etag, body: data };
    return data;
  };
  return { read, answers, base: () => base };
}

/** Facts about one commit say nothing of the next. */
function factsOf(memory: LookMemory): PullRequestFacts {
  const readings = READINGS.flatMap((name) => memory[name] ?? []);
  const current = readings.filter(({ commit }) => commit === undefined || commit === memory.details?.commit);
  return Object.assign({}, ...current.map(({ facts }) => facts));
}

function unseen({ failure }: UnreadableError): Look {
  switch (failure.kind) {
    case 'not_found':
      return { outcome: 'not_found' };
    case 'later':
      return { outcome: 'later', waitMs: failure.waitMs, reason: failure.reason };
    case 'forbidden':
      return { outcome: 'no_access', reason: 'not_allowed' };
    case 'bad_credentials':
    case 'app_not_installed':
      return { outcome: 'no_access', reason: failure.kind };
  }
}

interface Asked {
  readonly durationMs: number;
  /** Requests until the host's limit resets; null: unknown. */
  readonly remaining: number | null;
}

/**
 * Returns a function that logs a check. What an administrator must fix is logged once, until it is fixed or
 * changes.
 */
export function lookLog(log: Logger): (link: PullRequestLink, look: Look, asked: Asked) => void {
  const told = new Map<string, string>();
  const tellOnce = (topic: string, problem: string | null, tell: () => void) => {
    if (problem === null) told.delete(topic);
    else if (told.get(topic) !== problem) {
      told.set(topic, problem);
      tell();
    }
  };
  return ({ host, repository, name }, look, { durationMs, remaining }) => {
    const { outcome } = look;
    const failed = outcome === 'later' ? { reason: look.reason } : {};
    log[outcome === 'later' ? 'info' : 'debug']('code_host_looked', {
      ...{ host, pull_request: name, outcome, ...failed, duration_ms: durationMs },
      ...(remaining === null ? {} : { rate_limit_remaining: remaining }),
    });
    if (outcome === 'later') return;
    const reason = outcome === 'no_access' ? look.reason : null;
    tellOnce(`${host} ${repository} access`, reason, () =>
      log.warn('code_host_no_access', { host, repository, reason }),
    );
    if (outcome !== 'seen') return;
    for (const reading of READINGS) {
      const problem = look.memory[reading]?.problem;
      if (problem?.kind === 'unavailable') continue;
      const permissions = problem?.permissions;
      tellOnce(`${host} ${repository} ${reading}`, permissions?.join(', ') ?? null, () =>
        log.warn('code_host_permission_missing', { host, repository, lost: reading, permissions }),
      );
    }
  };
}
