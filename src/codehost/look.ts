import { z } from 'zod';
import type { Clock } from '../engine/runtime/clock.ts';
import type { Logger } from '../engine/runtime/redact.ts';
import type { PullRequestLink } from '../jobs/pull-requests/link.ts';
import { isOver, type PullRequestFacts } from '../jobs/pull-requests/pull-request.ts';
import type { HostFacts } from '../jobs/service-facts.ts';
import {
  type Answer,
  type Authorization,
  type Credentials,
  type HostClient,
  laterError,
  UnreadableError,
} from './client/host-client.ts';

/** The configured code hosts, for pull requests. Nothing is ever written to them. */
export interface CodeHosts {
  /** Null: no configured host knows it, so it is never checked. */
  find(url: string): PullRequestLink | null;
  /**
   * Never throws for failures of network or host, and takes half a minute at most.
   * @param before from the last check that saw the pull request; null: none
   */
  look(link: PullRequestLink, before: LookMemory | null): Promise<Look>;
  facts(): readonly HostFacts[];
  /** Aborts what is in flight. */
  close(): Promise<void>;
}

export type Look =
  /** `facts`: includes earlier ones that could not be read again. */
  | { readonly outcome: 'seen'; readonly facts: PullRequestFacts; readonly memory: LookMemory }
  /** It does not exist, or may not be seen: hosts answer both alike. */
  | { readonly outcome: 'not_found' }
  | { readonly outcome: 'no_access'; readonly reason: NoAccessReason }
  /**
   * Rate-limited, broken or unreachable. `waitMs`: how long the host asks to be left alone, if it says so.
   * `reason`: one word for the log.
   */
  | { readonly outcome: 'later'; readonly waitMs: number | null; readonly reason: string };

/** `bad_credentials`: the host does not know the token or App, or no longer. */
export type NoAccessReason = 'bad_credentials' | 'not_allowed' | 'app_not_installed';

/** Read separately, so that a missing permission costs only its own facts. */
export const READINGS = ['details', 'size', 'checks', 'review', 'preview'] as const;
export type ReadingName = (typeof READINGS)[number];

/** What a check leaves to the next one, as plain JSON. */
export type LookMemory = { readonly [Name in ReadingName]?: Reading };

export interface Reading {
  readonly facts: PullRequestFacts;
  /** When the host last said so; absent: never. */
  readonly readAtMs?: number;
  /** The commit that the facts describe. Absent: they describe the pull request. */
  readonly commit?: string;
  readonly problem?: ReadingProblem;
  /** The host's answers by the end of their paths, each with its ETag. */
  readonly answers: Readonly<Record<string, TaggedAnswer>>;
}

/** `permissions`: the missing ones, by the host's names. */
export type ReadingProblem =
  | { readonly kind: 'missing_permission'; readonly permissions: readonly string[] }
  | { readonly kind: 'unavailable' };

export interface TaggedAnswer {
  readonly etag: string;
  readonly body: unknown;
}

const whole = z.int().min(0);

const facts = z.object({
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  state: z.enum(['draft', 'open', 'merged', 'closed']).exactOptional(),
  endedBy: z.string().exactOptional(),
  openedAtMs: z.number().exactOptional(),
  endedAtMs: z.number().exactOptional(),
  updatedAtMs: z.number().exactOptional(),
  size: z
    .object({ files: whole, lines: z.object({ added: whole, removed: whole }).nullable() })
    .exactOptional(),
  checks: z.enum(['pending', 'passing', 'failing']).exactOptional(),
  review: z.enum(['approved', 'changes_requested']).exactOptional(),
  previewUrl: z.string().exactOptional(),
});

const reading: z.ZodType<Reading> = z.object({
  facts,
  readAtMs: z.number().exactOptional(),
  commit: z.string().exactOptional(),
  problem: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('missing_permission'), permissions: z.array(z.string()) }),
      z.object({ kind: z.literal('unavailable') }),
    ])
    .exactOptional(),
  answers: z.record(z.string(), z.object({ etag: z.string(), body: z.unknown() })),
});

/** A stored memory. What another version stored differently is read from the host again. */
export function decodeLookMemory(stored: unknown): LookMemory | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const known = READINGS.flatMap((name) => {
    const { data } = reading.safeParse(Reflect.get(stored, name));
    return data === undefined ? [] : [[name, data] as const];
  });
  return known.length === 0 ? null : Object.fromEntries(known);
}

/**
 * Reads the API at the repository's path plus `rest`: `/pulls/14`. Throws an UnreadableError. `schema` must
 * accept its own output, which is stored and compared.
 */
export type Read = <T>(rest: string, schema: z.ZodType<T>) => Promise<T>;

/** What is special to one kind of code host: paths, answers, names of permissions. */
export interface Dialect {
  readonly headers: Readonly<Record<string, string>>;
  repositoryPath(link: PullRequestLink): string;
  readonly movedTo: RegExp;
  /** What any token may ask about itself; `base` and `rest` together. */
  readonly tokenPath: string;
  /** When the token expires, by the answer; null: unknown, or never. */
  tokenEndsAtMs(answer: Extract<Answer, { kind: 'read' }>): number | null;
  details(read: Read, number: number): Promise<Details>;
  /** What else there is to read; absent: the details include it. */
  readonly others: { readonly [Name in Exclude<ReadingName, 'details'>]?: OtherReading };
}

export interface Details {
  readonly facts: PullRequestFacts;
  /** The last commit; null: the host does not say. */
  readonly commit: string | null;
}

export interface OtherReading {
  /** Each is needed, by the host's names; `Checks or Actions`: either. */
  readonly permissions: readonly string[];
  /** Its facts hold for one commit only. */
  readonly isOfCommit: boolean;
  /** `lacks` collects missing permissions that reduce the facts. */
  read(
    read: Read,
    pullRequest: { readonly number: number; readonly commit: string },
    lacks: (permission: string) => void,
  ): Promise<PullRequestFacts>;
}

const LOOK_TIMEOUT_MS = 25_000;

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
