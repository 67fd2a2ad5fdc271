import type { z } from 'zod';
import {
  type CodeHost,
  CodeHostError,
  type CodeHostSettings,
  connect,
  decodeBody,
  type Failure,
  isDenied,
} from '#codehost/client.ts';
import { afterAnswer, nothingKnown, type TroubleKind } from '#jobs/agent-job.ts';
import { type PullRequestLink, parsePullRequestLink } from '#jobs/pull-requests/link.ts';
import { isOver, type PullRequestFacts } from '#jobs/pull-requests/pull-request.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Logger } from '#runtime/redact.ts';
import {
  type Dialect,
  type OpenPullRequest,
  READINGS,
  REVIEW_KEY,
  type Read,
  type ReadingName,
  withoutNulls,
} from './dialect.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';

export type CheckResult =
  | Readonly<{ outcome: 'seen'; facts: PullRequestFacts; memory: CheckMemory }>
  | Failure;

/** Raise it if what a check keeps changes shape: an unchanged answer is not decoded again. */
const MEMORY_VERSION = 2;

export type CheckMemory = Readonly<{
  version: number;
  /** All readings but the review describe it. */
  commit: string | null;
  /** `lacks`: permissions, by the host's names. */
  readings: { [Name in ReadingName]?: { facts: PullRequestFacts; lacks: readonly string[] } };
  responses: Record<string, { etag: string; body: unknown }>;
}>;

export const DIALECTS = { github, gitlab };

const CHECK_TIMEOUT_MS = 25_000;
/** Its code host may be configured again. */
const NO_HOST = { outcome: 'no_access', reason: 'not_allowed' } as const;

export type CodeHosts = ReturnType<typeof createCodeHosts>;

/** Only reads. `timeoutMs`: per request. */
export function createCodeHosts(
  settings: readonly CodeHostSettings[],
  { clock, log, timeoutMs = 10_000 }: { clock: Clock; log: Logger; timeoutMs?: number },
) {
  const hosts = settings.map((one) => ({ ...connect(one, clock, timeoutMs), facts: nothingKnown }));
  const logCheck = checkLog(log);
  const find = (url: string) => {
    for (const host of hosts) {
      const link = parsePullRequestLink(url, [host.settings]);
      if (link !== null) return { host, link };
    }
    return null;
  };
  const ask = async <T>(
    url: string,
    work: (dialect: Dialect, number: number, reads: Reads) => Promise<T>,
  ): Promise<T | Failure> => {
    const found = find(url);
    if (found === null) return NO_HOST;
    const { host, link } = found;
    return readAt(host, link, null, (reads) => work(DIALECTS[host.settings.host], link.number, reads));
  };
  return {
    hosts,
    /**
     * Does not throw for failures of network or host. Takes at most 30 s.
     * @param url alone decides where it is read
     * @param memory from the last check that saw it
     */
    check: async (url: string, memory: CheckMemory | null): Promise<CheckResult> => {
      const found = find(url);
      if (found === null) return NO_HOST;
      const { host, link } = found;
      const startedMs = clock.now();
      const result = await checkAt(host, link, memory);
      host.facts = afterAnswer(host.facts, troubleOf(result), clock.now());
      logCheck(link, result, clock.now() - startedMs, host.client.remaining());
      return result;
    },
    reviewComments: (url: string, newsKey: string) =>
      ask(url, ({ reviewComments }, number, { read }) =>
        reviewComments(read, number, newsKey.slice(REVIEW_KEY.length)),
      ),
    /** Null: unknown. */
    emailOf: (url: string, login: string) =>
      ask(url, ({ emailOf }, _number, { readAnywhere }) => emailOf(readAnywhere, login)),
    facts: () => hosts.map(({ settings: { webUrl }, facts }) => ({ host: new URL(webUrl).host, facts })),
    close: async () => {
      await Promise.all(hosts.map(({ client }) => client.close()));
    },
  };
}

/** `readAnywhere`: paths of the API. */
type Reads = Readonly<{ read: Read; readAnywhere: Read; responses: CheckMemory['responses'] }>;

/** Throws only what `work` throws, except CodeHostError. */
function readAt<T>(
  { repositoryPath, client, clock, credentials }: CodeHost,
  { repository }: PullRequestLink,
  before: CheckMemory | null,
  work: (reads: Reads) => Promise<T>,
): Promise<T | Failure> {
  const base = repositoryPath(repository);
  return clock.abortAfter(CHECK_TIMEOUT_MS, async (signal) => {
    try {
      const authorization = await credentials.authorize(base, signal);
      const responses: CheckMemory['responses'] = {};
      let currentBase = base;
      const read: Read = async <T>(rest: string, schema: z.ZodType<T>) => {
        const earlier = before?.responses[rest];
        const request = { authorization, signal, base: currentBase, rest, etag: earlier?.etag ?? null };
        const response = await client.ask(request);
        currentBase = response.base;
        const isUnchanged = earlier !== undefined && response.body === undefined;
        const body = isUnchanged ? (earlier.body as T) : decodeBody(response, schema);
        if (response.etag !== null) responses[rest] = { etag: response.etag, body };
        return body;
      };
      const readAnywhere: Read = async (path, schema) =>
        decodeBody(await client.ask({ authorization, signal, base: path }), schema);
      return await work({ read, readAnywhere, responses });
    } catch (error) {
      if (!(error instanceof CodeHostError)) throw error;
      const { failure } = error;
      if (hasBadCredentials(failure)) credentials.rejected();
      return failure;
    }
  });
}

function checkAt(host: CodeHost, link: PullRequestLink, memory: CheckMemory | null): Promise<CheckResult> {
  const before = memory?.version === MEMORY_VERSION ? memory : null;
  const dialect = DIALECTS[host.settings.host];
  const { number } = link;
  return readAt<CheckResult>(host, link, before, async ({ read, responses }) => {
    const { facts: found, commit, isPublic = false } = await dialect.details(read, number);
    const facts = withoutNulls(found);
    const isOpen = commit !== null && !isOver(facts);
    const isSameCommit = before?.commit === commit;
    const current = await Promise.all(
      READINGS.map((name) => {
        const earlier = before?.readings[name]?.facts ?? {};
        return isOpen ? readingOf(dialect, name, read, { number, commit, isPublic, before: earlier }) : null;
      }),
    );
    const readings: CheckMemory['readings'] = {};
    for (const [index, name] of READINGS.entries()) {
      // Facts about one commit say nothing of another.
      const earlier = name === 'review' || isSameCommit ? before?.readings[name] : undefined;
      const reading = current[index] ?? earlier;
      if (reading !== undefined) readings[name] = reading;
    }
    // A failed reading keeps its tags, but not those of earlier commits.
    const kept = current.includes(null) && isSameCommit ? before.responses : {};
    return {
      outcome: 'seen',
      facts: Object.assign({}, facts, ...Object.values(readings).map((reading) => reading.facts)),
      memory: { version: MEMORY_VERSION, commit, readings, responses: { ...kept, ...responses } },
    };
  });
}

async function readingOf(
  { readings, permission }: Dialect,
  name: ReadingName,
  read: Read,
  pullRequest: OpenPullRequest,
) {
  const lacks: string[] = [];
  try {
    const facts = await readings[name]?.(read, pullRequest, (missing) => lacks.push(missing));
    return { facts: withoutNulls(facts ?? {}), lacks };
  } catch (error) {
    if (!(error instanceof CodeHostError)) throw error;
    return isDenied(error.failure) ? { facts: {}, lacks: [permission] } : null;
  }
}

/** Null: the host answered. */
function troubleOf(result: CheckResult): TroubleKind | null {
  if (result.outcome === 'later') return result.reason === 'rate_limited' ? 'rate_limited' : 'unreachable';
  return hasBadCredentials(result) ? 'needs_admin' : null;
}

export function hasBadCredentials(result: CheckResult) {
  return result.outcome === 'no_access' && result.reason === 'bad_credentials';
}

/** Logs a problem once until it changes. */
function checkLog(log: Logger) {
  const logged = new Map<string, string>();
  return (
    { host, repository, name }: PullRequestLink,
    result: CheckResult,
    durationMs: number,
    remaining: number | null,
  ) => {
    const { outcome } = result;
    log[outcome === 'later' ? 'info' : 'debug']('code_host_looked', {
      ...{ host, pull_request: name, outcome, duration_ms: durationMs },
      ...(outcome === 'later' && { reason: result.reason }),
      ...(remaining !== null && { rate_limit_remaining: remaining }),
    });
    if (outcome === 'later') return;
    const reasons = outcome === 'no_access' ? [result.reason] : [];
    const losses = READINGS.flatMap((lost) => {
      const permissions = (outcome === 'seen' && result.memory.readings[lost]?.lacks) || [];
      return permissions.length === 0 ? [] : { lost, permissions };
    });
    const repositoryFacts = { host, repository };
    const place = JSON.stringify(repositoryFacts);
    const problems = JSON.stringify([reasons, losses]);
    if (problems === logged.get(place)) return;
    logged.set(place, problems);
    for (const reason of reasons) log.warn('code_host_no_access', { ...repositoryFacts, reason });
    for (const loss of losses) log.warn('code_host_permission_missing', { ...repositoryFacts, ...loss });
  };
}
