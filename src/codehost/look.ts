import { z } from 'zod';
import type { Clock } from '../engine/runtime/clock.ts';
import type { Logger } from '../engine/runtime/redact.ts';
import type { PullRequestLink } from '../jobs/pull-requests/link.ts';
import { isOver, type PullRequestFacts } from '../jobs/pull-requests/pull-request.ts';
import {
  type Answer,
  type Credentials,
  decodeAnswer,
  type HostClient,
  isDenied,
  UnreadableError,
} from './client/host-client.ts';

export type Look = Readonly<
  /** `facts`: includes earlier ones that could not be read again. */
  | { outcome: 'seen'; facts: PullRequestFacts; memory: LookMemory }
  /** It does not exist, or may not be seen: hosts answer both alike. */
  | { outcome: 'not_found' }
  | { outcome: 'no_access'; reason: NoAccessReason }
  /**
   * Rate-limited, broken or unreachable. `waitMs`: how long the host asks to be left alone, if it says so.
   * `reason`: one word for the log.
   */
  | { outcome: 'later'; waitMs: number | null; reason: string }
>;

/** `bad_credentials`: the host does not know the token or App, or no longer. */
export type NoAccessReason = 'bad_credentials' | 'not_allowed' | 'app_not_installed';

/** Read beside the details, and separately, so that a missing permission costs only its own facts. */
export const READINGS = ['size', 'checks', 'review', 'preview'] as const;
export type ReadingName = (typeof READINGS)[number];

const reading = z.object({
  facts: z.object({
    size: z
      .object({
        files: z.int().min(0),
        lines: z.object({ added: z.int().min(0), removed: z.int().min(0) }).nullable(),
      })
      .exactOptional(),
    checks: z.enum(['pending', 'passing', 'failing']).exactOptional(),
    review: z.enum(['approved', 'changes_requested']).exactOptional(),
    previewUrl: z.string().exactOptional(),
  }),
  /** The missing permissions, by the host's names. */
  lacks: z.array(z.string()),
});
type Reading = z.infer<typeof reading>;

const lookMemory = z.object({
  /** The last commit, which all readings but the review describe. */
  commit: z.string().nullable(),
  readings: z.partialRecord(z.enum(READINGS), reading),
  /** The host's answers by the end of their paths, each with its ETag. */
  answers: z.record(z.string(), z.object({ etag: z.string(), body: z.unknown() })),
});

/** What a check leaves to the next one, as plain JSON. */
export type LookMemory = z.infer<typeof lookMemory>;

/** A stored memory. What another version stored differently is read from the host again. */
export function decodeLookMemory(stored: unknown): LookMemory | null {
  return lookMemory.safeParse(stored).data ?? null;
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
  /** What any token may ask about itself. */
  readonly tokenPath: string;
  /** When the token expires, by the answer; null: unknown, or never. */
  tokenEndsAtMs(answer: Answer): number | null;
  details(read: Read, number: number): Promise<Details>;
  /** What else there is to read; absent: the details include it. */
  readonly others: { readonly [Name in ReadingName]?: OtherReading };
  /** What a reading lacks that is refused as a whole. */
  readonly permission: string;
}

type Details = Readonly<{
  facts: PullRequestFacts;
  /** The last commit; null: the host does not say. */
  commit: string | null;
}>;

type PullRequestCommit = Readonly<{
  number: number;
  commit: string;
}>;

/** `lacks` collects missing permissions that reduce the facts. */
export type OtherReading = (
  read: Read,
  pullRequest: PullRequestCommit,
  lacks: (permission: string) => void,
) => Promise<PullRequestFacts>;

const LOOK_TIMEOUT_MS = 25_000;

export type HostAccess = Readonly<{
  dialect: Dialect;
  client: HostClient;
  credentials: Credentials;
  clock: Clock;
}>;

/** One check: the details first, then the rest side by side, as far as it can still change. */
export function look(
  { dialect, client, clock, credentials }: HostAccess,
  link: PullRequestLink,
  before: LookMemory | null,
): Promise<Look> {
  const base = dialect.repositoryPath(link);
  return clock.abortAfter(LOOK_TIMEOUT_MS, async (signal) => {
    const answers: LookMemory['answers'] = {};
    try {
      const authorization = await credentials.authorize(base, signal);
      let currentBase = base;
      // With the tags of earlier answers.
      const read: Read = async (rest, schema) => {
        const earlier = before?.answers[rest];
        const kept = schema.safeParse(earlier?.body);
        const etag = earlier && kept.success ? earlier.etag : null;
        const answer = await client.get({ authorization, signal, base: currentBase, rest, etag });
        currentBase = answer.base;
        const body = answer.body === undefined && kept.success ? kept.data : decodeAnswer(answer, schema);
        if (answer.etag !== null) answers[rest] = { etag: answer.etag, body };
        return body;
      };
      const { facts, commit } = await dialect.details(read, link.number);
      const pullRequest = commit === null || isOver(facts) ? null : { number: link.number, commit };
      const now = await Promise.all(
        READINGS.map((name) => (pullRequest === null ? null : readOther(dialect, name, read, pullRequest))),
      );
      const readings: LookMemory['readings'] = {};
      for (const [index, name] of READINGS.entries()) {
        // Facts about one commit say nothing of the next.
        const isCurrent = name === 'review' || before?.commit === commit;
        const found = now[index] ?? (isCurrent ? before?.readings[name] : undefined);
        if (found !== undefined) readings[name] = found;
      }
      return {
        outcome: 'seen',
        facts: Object.assign({}, facts, ...Object.values(readings).map((found) => found.facts)),
        memory: {
          commit,
          readings,
          // A reading that failed for a moment finds its tags again; those of earlier commits would only pile up.
          answers: { ...(now.includes(null) && before?.commit === commit && before.answers), ...answers },
        },
      };
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      const { failure } = error;
      if (failure.kind === 'bad_credentials') credentials.rejected(base);
      if (failure.kind === 'not_found') return { outcome: 'not_found' };
      if (failure.kind === 'later')
        return { outcome: 'later', waitMs: failure.waitMs, reason: failure.reason };
      const reason = failure.kind === 'forbidden' ? 'not_allowed' : failure.kind;
      return { outcome: 'no_access', reason };
    }
  });
}

/** Null: it cannot be read now. */
async function readOther(
  { others, permission }: Dialect,
  name: ReadingName,
  read: Read,
  pullRequest: PullRequestCommit,
): Promise<Reading | null> {
  const lacks: string[] = [];
  try {
    const facts = await others[name]?.(read, pullRequest, (missing) => lacks.push(missing));
    return { facts: facts ?? {}, lacks };
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    return isDenied(error.failure) ? { facts: {}, lacks: [permission] } : null;
  }
}

/** What an administrator must fix is logged once, until it is fixed or changes. */
export function lookLog(log: Logger) {
  const told = new Map<string, string>();
  const isNew = (topic: string, problem: readonly string[]) => {
    const words = problem.join(', ');
    const before = told.get(topic) ?? '';
    told.set(topic, words);
    return words !== '' && words !== before;
  };
  return (link: PullRequestLink, look: Look, durationMs: number, remaining: number | null): void => {
    const { host, repository, name } = link;
    const { outcome } = look;
    const facts = { host, pull_request: name, outcome, duration_ms: durationMs };
    const left = remaining === null ? {} : { rate_limit_remaining: remaining };
    if (outcome === 'later') {
      log.info('code_host_looked', { ...facts, reason: look.reason, ...left });
      return;
    }
    log.debug('code_host_looked', { ...facts, ...left });
    const refused = outcome === 'no_access' ? [look.reason] : [];
    if (isNew(`${host} ${repository} access`, refused)) {
      log.warn('code_host_no_access', { host, repository, reason: refused[0] });
    }
    if (outcome !== 'seen') return;
    for (const lost of READINGS) {
      const permissions = look.memory.readings[lost]?.lacks ?? [];
      if (isNew(`${host} ${repository} ${lost}`, permissions)) {
        log.warn('code_host_permission_missing', { host, repository, lost, permissions });
      }
    }
  };
}
