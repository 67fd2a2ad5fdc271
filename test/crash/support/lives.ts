import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SlackCall } from '../../support/fault-proxy/call.ts';
import type { Exchange } from '../../support/fault-proxy/forward.ts';
import { random } from '../../support/local-slack.ts';
import { withQuicker } from '../../support/quicker.ts';
import { createTempDir } from '../../support/temp-dir.ts';
import { callName } from './call-name.ts';
import { startGate } from './gate.ts';
import type { Outside } from './outside.ts';
import type { StoreReader } from './store-reader.ts';

const preloads = [
  ...withQuicker('searches'),
  '--import',
  new URL('./child/fail-points.ts', import.meta.url).href,
];

const UNDER_WAY = "select id from call where state = 'started' and kind in ('create_job', 'send_message')";

const BUSY: Exchange = { status: 429, headers: { 'retry-after': '1' }, body: Buffer.from('{}') };
const NOT_ALLOWED: Exchange = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"ok":false,"error":"restricted_action"}'),
};

/** Where a process of the program dies. */
export interface Kill {
  /** The name of a commit, or of an outward call. */
  readonly at: string;
  readonly when: 'before' | 'after';
  /** Counted in the life of the process. */
  readonly nth: number;
}

/** The lives of the program: each ends by the kill that was meant for it, the next begins at once. */
export interface Lives extends AsyncDisposable {
  /** Waits for a process that is up, and returns the number of its life. */
  up(): Promise<number>;
  /** Resolves once the process of this life has ended. */
  ended(life: number): Promise<void>;
  /** Rejects if a process ends in another way than was meant. */
  readonly failed: Promise<never>;
  /** Where the process that was up last takes requests. */
  port(): number;
  /** The names of all commits and outward calls so far, of the first process first. */
  done(): readonly string[];
  /** How many processes were killed, and how many will be in the end. */
  readonly kills: { readonly done: number; readonly planned: number };
  /** The ids of create and message calls that were under way when a process died: their fate is unknown. */
  readonly doubtful: readonly string[];
  /** Calls of these methods are refused for the moment (429). */
  readonly busy: Set<string>;
  /** Stops the program as an operator does. */
  stop(): Promise<void>;
}

export async function startLives(
  outside: Outside,
  store: StoreReader,
  kills: readonly Kill[],
): Promise<Lives> {
  const resources = new AsyncDisposableStack();
  const directory = await createTempDir();
  resources.defer(() => directory.remove());
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  const calls: string[][] = [];
  const lives: Life[] = [];
  const busy = new Set<string>();
  let isStopping = false;
  let timesReached = 0;
  const doubtful: string[] = [];

  const guard = (call: SlackCall, moment: 'before' | 'after') => {
    const name = callName(call);
    const life = lives.length - 1;
    const kill = kills[life];
    if (moment === 'after') calls[life]?.push(name);
    if (kill?.at === name && kill.when === moment) {
      timesReached += 1;
      if (timesReached >= kill.nth) {
        lives[life]?.program.kill('SIGKILL');
        return 'hold';
      }
    }
    if (moment === 'after') return 'go';
    if (busy.has(call.method)) return BUSY;
    return name === 'chat.postMessage (card)' && call.args.channel === random ? NOT_ALLOWED : 'go';
  };
  const slackGate = resources.use(await startGate(new URL(outside.proxy.apiUrl).origin, guard));
  const codeHostGate = resources.use(await startGate(outside.codeHost.webUrl, guard));
  const agentGate = resources.use(await startGate(new URL(outside.agentProxy.apiUrl).origin, guard));

  interface Life {
    readonly program: ReturnType<Outside['launch']>;
    readonly isUp: Promise<void>;
    readonly ended: Promise<void>;
  }

  function begin(): void {
    const number = lives.length;
    const kill = kills[number];
    timesReached = 0;
    calls.push([]);
    const program = outside.launch(
      {
        SLACK_API_URL: `${slackGate.origin}/api/`,
        AGENT_BASE_URL: agentGate.origin,
        GITHUB_API_URL: outside.codeHost.githubApiUrl.replace(outside.codeHost.webUrl, codeHostGate.origin),
        CRASH_LOG: join(directory.path, String(number)),
        ...(kill && { CRASH_AT: kill.at, CRASH_WHEN: kill.when, CRASH_NTH: String(kill.nth) }),
      },
      preloads,
    );
    const ended = program.exit.then(async ({ signal }) => {
      if (isStopping) return;
      if (signal !== 'SIGKILL' || kill === undefined) {
        failure.reject(new Error(`process ${number + 1} ended by itself:\n${program.output()}`));
        return;
      }
      await store.processDied();
      doubtful.push(...(await store.query(UNDER_WAY)).map(({ id }) => String(id)));
      if (!isStopping) begin();
    });
    ended.catch(failure.reject);
    const isUp = program.logged('started').then(() => {});
    isUp.catch(() => {});
    lives.push({ program, isUp, ended });
  }

  begin();
  // Runs first when all is disposed: nothing begins any more.
  resources.defer(() => {
    isStopping = true;
  });

  return {
    up: async () => {
      for (;;) {
        const number = lives.length - 1;
        const life = lives[number];
        const isUp = await Promise.race([
          life?.isUp.then(
            () => true,
            () => life.ended.then(() => false),
          ),
          life?.ended.then(() => false),
          failure.promise,
        ]);
        if (isUp) return number;
      }
    },
    port: () => Number(/"port":(\d+)/.exec(lives.at(-1)?.program.output() ?? '')?.[1]),
    ended: (number) => lives[number]?.ended ?? Promise.resolve(),
    failed: failure.promise,
    done: () =>
      lives.flatMap((_, number) => [
        ...readCommits(join(directory.path, String(number))),
        ...(calls[number] ?? []),
      ]),
    get kills() {
      return { done: lives.length - 1, planned: kills.length };
    },
    doubtful,
    busy,
    stop: async () => {
      isStopping = true;
      const last = lives.at(-1)?.program;
      last?.kill('SIGTERM');
      const exit = await last?.exit;
      if (exit?.code !== 0) throw new Error(`it did not stop: ${JSON.stringify(exit)}\n${last?.output()}`);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function readCommits(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}
