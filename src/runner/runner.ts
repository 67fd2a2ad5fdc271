import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { type Clock, periodically } from '#runtime/clock.ts';
import { limitConnections, serverLimits } from '#runtime/http-server.ts';
import type { Logger } from '#runtime/redact.ts';
import { type AgentOptions, endProcess, probeAgent } from './agent.ts';
import { agentApi } from './api.ts';
import { TurnStoppedError } from './failures.ts';
import { MARKER } from './git.ts';
import { pullRequestsOf } from './pull-requests.ts';
import { Repository, removeTree } from './repository.ts';
import type { RunnerSettings } from './settings.ts';
import { RunnerStore, sha256, type Turn } from './store.ts';
import { failed, runTurn, type TurnOptions } from './turn.ts';

/** Attempts at a turn, if the runner is killed in each. */
const ATTEMPTS_MAX = 3;
const SWEEP_EVERY_MS = 60 * 60_000;
/** Images make large bodies. */
const REQUEST_WITHIN_MS = 60_000;

export type Runner = Awaited<ReturnType<typeof startRunner>>;

interface Running {
  readonly turn: number;
  readonly stopping: AbortController;
  ended: Promise<void>;
  activity: string | null;
}

/**
 * Throws StoreError, TurnFailedError if the agent doesn't start, or the system's error if the port is taken.
 */
export async function startRunner(settings: RunnerSettings, { clock, log }: { clock: Clock; log: Logger }) {
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
    const pullRequests = pullRequestsOf(settings, clock);
    if (pullRequests !== null) resources.defer(() => pullRequests.close());
    const repository = new Repository(join(dataDir, 'repositories', settings.project), {
      address: settings.repository,
      branch: settings.branch,
      env: settings.gitEnv,
      mark,
      authorization: async () => (await pullRequests?.authorization()) ?? null,
    });
    await repository.open();
    const agent: AgentOptions = { command: settings.command, env: settings.agentEnv, mark, clock };
    const facts = await probeAgent(agent, join(dataDir, 'worktrees'));
    await store.putBack();

    const running = new Map<string, Running>();
    let isStopping = false;

    /** Runs what begins turns, or must not overlap with that, in order. */
    let last = Promise.resolve();
    const inOrder = (work: () => Promise<void>, onError: (error: unknown) => void) => {
      last = last.then(work).catch(onError);
      return last;
    };

    const pump = () =>
      inOrder(
        async () => {
          while (!isStopping && running.size < settings.concurrency) {
            const turn = await store.transaction((tx) => tx.begin());
            if (turn === null) return;
            running.set(turn.jobId, run(turn));
          }
        },
        (error) => log.error('turn_not_begun', { error }),
      );

    function run(turn: Turn): Running {
      const stopping = new AbortController();
      const onLimit = () => stopping.abort(new TurnStoppedError('time_limit'));
      const cancelLimit = clock.at(clock.now() + settings.turnTimeoutMs, onLimit);
      const entry: Running = { turn: turn.number, stopping, activity: null, ended: Promise.resolve() };
      entry.ended = finish(turn, entry)
        .catch((error: unknown) => log.error('turn_not_ended', { turn: turn.number, error }))
        .finally(() => {
          cancelLimit();
          running.delete(turn.jobId);
          pump();
        });
      return entry;
    }

    async function finish(turn: Turn, entry: Running): Promise<void> {
      const startedAtMs = clock.now();
      const ofTurn = `${mark}.${turn.number}.`;
      const options: TurnOptions = {
        ...{ ...settings, turn, store, repository, pullRequests, agent: { ...agent, mark: ofTurn } },
        ...{ ...placeOf(turn.jobId), signal: entry.stopping.signal },
        onActivity: (activity) => void Object.assign(entry, { activity }),
      };
      try {
        const end =
          turn.attempts > ATTEMPTS_MAX
            ? failed('The runner was killed in each of three attempts.')
            : await runTurn(options).finally(() => endLeftBehind(ofTurn));
        // A service manager may kill agents together with the runner.
        if (isStopping && end.outcome === 'failed') throw new TurnStoppedError('runner');
        await store.transaction((tx) => tx.end(turn, end, clock.now()));
        const { outcome, reason } = end;
        const duration_ms = clock.now() - startedAtMs;
        log.info('turn_ended', { job_id: turn.jobId, outcome, reason, duration_ms });
      } catch (error) {
        if (error instanceof TurnStoppedError) return store.transaction((tx) => tx.interrupt(turn));
        log.error('turn_failed', { job_id: turn.jobId, error });
        const end = failed('The runner failed; its log says why.');
        await store.transaction((tx) => tx.end(turn, end, clock.now()));
      }
    }

    /** A message may reopen a job at any time, so its folder moves before another turn begins. */
    async function archive(): Promise<void> {
      const nowMs = clock.now();
      for (const id of await store.archive(nowMs - settings.keepMs, nowMs)) {
        const { worktree, transcript } = placeOf(id);
        await rm(transcript, { force: true });
        if (!existsSync(worktree)) continue;
        // An agent may have made it read-only.
        await chmod(worktree, 0o700);
        await rename(worktree, join(trash, `${id}-${nowMs}`));
      }
    }

    const sweep = periodically(clock, { firstAfterMs: 0, everyMs: SWEEP_EVERY_MS }, async () => {
      const onError = (error: unknown) => log.error('jobs_not_archived', { error });
      await inOrder(archive, onError);
      for (const name of await readdir(trash)) await removeTree(join(trash, name)).catch(onError);
      return undefined;
    });

    const server = createServer(
      { ...serverLimits, requestTimeout: REQUEST_WITHIN_MS },
      agentApi({
        ...{ ...settings, store, clock, agent: facts },
        repository: pullRequests?.repository ?? settings.repository,
        newId: () => `job_${randomBytes(12).toString('hex')}`,
        onTurn: pump,
        activityOf: (jobId) => running.get(jobId)?.activity ?? null,
        stopTurn: async ({ jobId, number }) => {
          await last;
          const entry = running.get(jobId);
          if (entry?.turn !== number) return;
          entry.stopping.abort(new TurnStoppedError('caller'));
          await entry.ended;
        },
        onFailure: (error) => log.error('request_failed', { error }),
      }),
    );
    limitConnections(server);
    server.listen({ host: settings.host, port: settings.port });
    await once(server, 'listening');
    sweep.start();
    pump();
    return {
      port: (server.address() as AddressInfo).port,
      agent: facts.name,
      /** Stopped turns run again at the next start. */
      stop: async () => {
        isStopping = true;
        server.close();
        server.closeAllConnections();
        await sweep.stop();
        await last;
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

/** Kills agents of a killed runner, and what an agent left running. */
async function endLeftBehind(mark: string): Promise<void> {
  const entries = await readdir('/proc').catch(() => []);
  const endIfMarked = async (pid: string) => {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    if (`\0${environment}`.includes(`\0${MARKER}=${mark}`)) endProcess(Number(pid));
  };
  await Promise.all(entries.filter((name) => /^\d+$/.test(name)).map(endIfMarked));
}
