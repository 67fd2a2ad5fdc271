import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { type CodeHostSettings, type Connected, connect } from '../codehost/create-code-hosts.ts';
import { type Clock, periodically } from '../engine/runtime/clock.ts';
import { limitConnections, serverLimits } from '../engine/runtime/http-server.ts';
import type { Logger } from '../engine/runtime/redact.ts';
import { type AgentOptions, endProcess, probeAgent } from './agent.ts';
import { agentApi } from './api.ts';
import { TurnStoppedError } from './failures.ts';
import { MARKER } from './git.ts';
import { mayGetToken, pullRequestsOf, repositoryAt } from './pull-requests.ts';
import { Repository, removeTree } from './repository.ts';
import { RunnerStore, sha256, type Turn } from './store.ts';
import { failed, runTurn, type TurnTools } from './turn.ts';

/** A turn is run again after each kill of the runner, up to this often. */
const ATTEMPTS_MAX = 3;
const SWEEP_EVERY_MS = 60 * 60_000;
const CODE_HOST_WITHIN_MS = 30_000;
/** Pictures make large bodies. */
const REQUEST_WITHIN_MS = 60_000;

export interface RunnerSettings {
  readonly project: string;
  /** An https or ssh address, or a path. */
  readonly repository: string;
  readonly branch: string | null;
  readonly command: readonly [string, ...string[]];
  /** Patterns of the files that may change; empty: all. */
  readonly paths: readonly string[];
  readonly apiKey: string;
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly concurrency: number;
  readonly turnTimeoutMs: number;
  /** The agent's whole environment. */
  readonly agentEnv: Readonly<Record<string, string>>;
  /** The text that precedes each first request. */
  readonly instructions: string | null;
  readonly hourlyLimit: number | null;
  /** How long a job rests before it is archived. */
  readonly keepMs: number;
  /** With write access. */
  readonly codeHosts: readonly CodeHostSettings[];
  /** `owner/name`, where the address does not say it. */
  readonly codeHostRepository: string | null;
}

export interface Runner {
  readonly port: number;
  /** The agent, as it calls itself. */
  readonly agent: string;
  /** Ends all turns; they are run again at the next start. */
  stop(): Promise<void>;
}

interface Running {
  readonly turn: number;
  readonly stopping: AbortController;
  readonly ended: Promise<void>;
  activity: string | null;
}

/**
 * Starts the service: the agent API, and the turns of its jobs. Throws StoreError if the folder cannot be used,
 * TurnFailedError if the agent does not start, or the system's error if the port is taken.
 */
export async function startRunner(
  settings: RunnerSettings,
  { clock, log }: { clock: Clock; log: Logger },
): Promise<Runner> {
  const dataDir = resolve(settings.dataDir);
  const placeOf = (jobId: string) => ({
    worktree: join(dataDir, 'worktrees', jobId),
    transcript: join(dataDir, 'transcripts', `${jobId}.jsonl`),
  });
  const resources = new AsyncDisposableStack();
  const store = await RunnerStore.open(dataDir);
  resources.defer(() => store.close());
  try {
    const trash = join(dataDir, 'trash');
    for (const name of ['worktrees', 'transcripts', 'trash'])
      await mkdir(join(dataDir, name), { recursive: true, mode: 0o700 });
    const mark = sha256(dataDir).slice(0, 16);
    await endLeftBehind(mark);
    const codeHost = codeHostOf(settings, clock);
    if (codeHost !== null) resources.defer(() => codeHost.host.client.close());
    const pullRequests = codeHost && pullRequestsOf(codeHost.host, codeHost.repository);
    const repository = new Repository(join(dataDir, 'repositories', settings.project), {
      address: settings.repository,
      branch: settings.branch,
      mark,
      authorization: async () =>
        codeHost?.isTokenSent ? ((await pullRequests?.authorization()) ?? null) : null,
    });
    await repository.unlock();
    const agent: AgentOptions = { command: settings.command, env: settings.agentEnv, mark, clock };
    const facts = await probeAgent(agent, join(dataDir, 'worktrees'));
    await store.transaction((tx) => tx.putBack());

    const tools: TurnTools = { ...settings, store, repository, pullRequests, agent };
    const running = new Map<string, Running>();
    let isStopping = false;

    /** Begins waiting turns while there is room for them. */
    let pumping = Promise.resolve();
    const pump = () => {
      pumping = pumping.then(async () => {
        while (!isStopping && running.size < settings.concurrency) {
          const turn = await store.transaction((tx) => tx.begin());
          if (turn === null) return;
          running.set(turn.job_id, run(turn));
        }
      });
      pumping = pumping.catch((error: unknown) => log.error('turn_not_begun', { error }));
    };

    function run(turn: Turn): Running {
      const stopping = new AbortController();
      const cancelLimit = clock.at(clock.now() + settings.turnTimeoutMs, () =>
        stopping.abort(new TurnStoppedError('time_limit')),
      );
      const entry: Running = { turn: turn.number, stopping, activity: null, ended: Promise.resolve() };
      const ended = finish(turn, entry)
        .catch((error: unknown) => log.error('turn_not_ended', { turn: turn.number, error }))
        .finally(() => {
          cancelLimit();
          running.delete(turn.job_id);
          pump();
        });
      return Object.assign(entry, { ended });
    }

    async function finish(turn: Turn, entry: Running): Promise<void> {
      const startedAtMs = clock.now();
      const own = { ...tools, agent: { ...agent, mark: `${mark}.${turn.number}.` } };
      const onActivity = (activity: string) => void Object.assign(entry, { activity });
      const place = { ...placeOf(turn.job_id), signal: entry.stopping.signal, onActivity };
      try {
        const end =
          turn.attempts > ATTEMPTS_MAX
            ? failed('The runner was ended in each of three attempts.')
            : await runTurn(own, turn, place).finally(() => endLeftBehind(own.agent.mark));
        // A service manager may end agents together with the runner.
        if (isStopping && end.outcome === 'failed') throw new TurnStoppedError('runner');
        await store.transaction((tx) => tx.end(turn, end, clock.now()));
        const { outcome, reason } = end;
        const duration = clock.now() - startedAtMs;
        log.info('turn_ended', { job_id: turn.job_id, outcome, reason, duration_ms: duration });
      } catch (error) {
        if (error instanceof TurnStoppedError) return store.transaction((tx) => tx.interrupt(turn));
        log.error('turn_failed', { job_id: turn.job_id, error });
        await store.transaction((tx) =>
          tx.end(turn, failed('The runner failed; its log says why.'), clock.now()),
        );
      }
    }

    /** A message may open a job again at any time, so its folder is moved away before another turn begins. */
    async function archive(): Promise<void> {
      const nowMs = clock.now();
      for (const id of await store.transaction((tx) => tx.archive(nowMs - settings.keepMs, nowMs))) {
        const { worktree, transcript } = placeOf(id);
        if (existsSync(worktree)) await rename(worktree, join(trash, `${id}-${nowMs}`));
        await rm(transcript, { force: true });
      }
    }

    const sweep = periodically(clock, { firstAfterMs: 0, everyMs: SWEEP_EVERY_MS }, async () => {
      pumping = pumping.then(archive).catch((error: unknown) => log.error('jobs_not_archived', { error }));
      await pumping;
      for (const name of await readdir(trash))
        await removeTree(join(trash, name)).catch((error: unknown) =>
          log.error('jobs_not_archived', { error }),
        );
      return undefined;
    });

    const server = createServer(
      { ...serverLimits, requestTimeout: REQUEST_WITHIN_MS },
      agentApi({
        ...{ ...settings, store, clock, agent: facts },
        repository: codeHost?.repository ?? settings.repository,
        newId: () => `job_${randomBytes(12).toString('hex')}`,
        onTurn: pump,
        activityOf: (jobId) => running.get(jobId)?.activity ?? null,
        stopTurn: async ({ job_id, number }) => {
          await pumping;
          const entry = running.get(job_id);
          if (entry?.turn !== number) return;
          entry.stopping.abort(new TurnStoppedError('caller'));
          await entry.ended;
        },
        onFailure: (error) => log.error('request_failed', { error }),
      }),
    );
    limitConnections(server);
    await new Promise<void>((done, reject) => {
      server.once('error', reject);
      server.listen({ host: settings.host, port: settings.port }, done);
    });
    sweep.start();
    pump();
    return {
      port: (server.address() as AddressInfo).port,
      agent: facts.name,
      stop: async () => {
        isStopping = true;
        server.close();
        server.closeAllConnections();
        await sweep.stop();
        await pumping;
        for (const { stopping } of running.values()) stopping.abort(new TurnStoppedError('runner'));
        await Promise.all([...running.values()].map(({ ended }) => ended));
        await resources.disposeAsync();
      },
    };
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

/** The code host that opens the pull requests, and whether git gets its token; null: none does. */
function codeHostOf(
  { codeHosts, codeHostRepository, repository: address }: RunnerSettings,
  clock: Clock,
): { readonly host: Connected; readonly repository: string; readonly isTokenSent: boolean } | null {
  for (const settings of codeHosts) {
    const repository = repositoryAt(address, settings.webUrl) ?? codeHostRepository;
    if (repository === null) continue;
    const host = connect(settings, clock, CODE_HOST_WITHIN_MS);
    return { host, repository, isTokenSent: mayGetToken(address, settings.webUrl) };
  }
  return null;
}

/** Ends the processes that carry the mark: agents of a runner that was killed, or what an agent has left behind. */
async function endLeftBehind(mark: string): Promise<void> {
  const entries = await readdir('/proc').catch(() => []);
  const sought = `\0${MARKER}=${mark}`;
  await Promise.all(
    entries
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => {
        const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
        if (`\0${environment}`.includes(sought)) endProcess(Number(pid));
      }),
  );
}
