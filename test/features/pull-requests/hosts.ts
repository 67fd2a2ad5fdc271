import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { StandInPullRequest } from '../../../demo/code-host/pull-request.ts';
import type { CheckMemory, CheckResult, CodeHosts } from '../../../src/features/pull-requests/code-hosts.ts';
import { createCodeHosts } from '../../../src/features/pull-requests/code-hosts.ts';
import type { PullRequestFacts } from '../../../src/jobs/pull-requests/pull-request.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import type { LogFields, Logger } from '../../../src/runtime/redact.ts';
import type { CodeHost } from '../../support/code-host/code-host.ts';
import { startCodeHost } from '../../support/code-host/code-host.ts';
import { createTestClock, type TestClock } from '../../support/test-clock.ts';

export const TOKEN = 'github_pat_of_the_tests';
export const START_MS = Date.parse('2026-11-23T09:00:00Z');

export interface LoggedEvent {
  readonly event: string;
  readonly fields: LogFields;
}

/** The program's side of a code host, against the stand-in. */
export interface Looking extends AsyncDisposable {
  readonly host: CodeHost;
  readonly hosts: CodeHosts;
  readonly clock: TestClock;
  readonly logged: readonly LoggedEvent[];
  /** A pull request in acme/docs, which is opened when it is first asked for. */
  readonly pull: StandInPullRequest;
  /** Looks, with what the last look that saw something left. Default: at `pull`. */
  look(pull?: StandInPullRequest): Promise<CheckResult>;
  /** The facts of a look that saw the pull request. */
  facts(pull?: StandInPullRequest): Promise<PullRequestFacts>;
}

/** @param timeoutMs if given, requests end after that by the real clock */
export function lookingAtGithub(timeoutMs?: number): Promise<Looking> {
  return lookingAt('github', timeoutMs);
}

/** As an App, which may not see anything before it is installed. */
export function lookingAsApp(appId: number): Promise<Looking> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return lookingAt('github', undefined, { id: appId, privateKey, publicKey });
}

export async function lookingAt(
  kind: 'github' | 'gitlab',
  timeoutMs?: number,
  app?: { readonly id: number; readonly privateKey: KeyObject; readonly publicKey: KeyObject },
): Promise<Looking> {
  const clock = createTestClock(START_MS);
  const host = await startCodeHost({ token: TOKEN, clock, ...(app && { app }) });
  const credentials = app
    ? ({ kind: 'app', appId: String(app.id), privateKey: app.privateKey } as const)
    : ({ kind: 'token', token: TOKEN } as const);
  const logged: LoggedEvent[] = [];
  const hosts = createCodeHosts(
    [
      {
        host: kind,
        webUrl: host.webUrl,
        apiUrl: host[`${kind}ApiUrl`],
        credentials,
      },
    ],
    {
      clock: timeoutMs === undefined ? clock : { ...systemClock, now: clock.now },
      log: logInto(logged),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    },
  );
  const memories = new Map<StandInPullRequest, CheckMemory>();
  let opened: StandInPullRequest | undefined;
  const at: Looking = {
    ...{ host, hosts, clock, logged },
    get pull() {
      opened ??= host.open({ repository: 'acme/docs' });
      return opened;
    },
    look: async (pull = at.pull) => {
      const look = await hosts.check(host[`${kind}Link`](pull), memories.get(pull) ?? null);
      // As a store keeps it.
      if (look.outcome === 'seen') memories.set(pull, JSON.parse(JSON.stringify(look.memory)));
      return look;
    },
    facts: async (pull) => {
      const seen = await at.look(pull);
      if (seen.outcome !== 'seen') throw new Error(`not seen, but ${JSON.stringify(seen)}`);
      return seen.facts;
    },
    [Symbol.asyncDispose]: async () => {
      await hosts.close();
      await host.close();
    },
  };
  return at;
}

export function logInto(logged: LoggedEvent[]): Logger {
  const log = (event: string, fields: LogFields = {}) => void logged.push({ event, fields });
  return { debug: log, info: log, warn: log, error: log };
}
