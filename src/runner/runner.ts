import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Clock, periodically } from '#runtime/clock.ts';
import { serve, serverLimits } from '#runtime/http-server.ts';
import type { Logger } from '#runtime/redact.ts';
import { type AgentFacts, type AgentOptions, endProcess, probeAgent } from './agent.ts';
import { type ApiProject, agentApi } from './api.ts';
import { reasonOf, TurnStoppedError } from './failures.ts';
import { MARKER } from './git.ts';
import { pullRequestsOf } from './pull-requests.ts';
import { Repository, removeTree } from './repository.ts';
import type { RunnerSettings } from './settings.ts';
import { RunnerStore, sha256, type Turn, type TurnEnd } from './store.ts';
import { failed, runTurn, type TurnOptions } from './turn.ts';

/** Attempts at a turn, if the runner is killed in each. */
const ATTEMPTS_MAX = 3;
const SWEEP_EVERY_MS = 60 * 60_000;
/** If the store fails. */
const AGAIN_AFTER_MS = 5_000;
/** Images make large bodies. */
const REQUEST_WITHIN_MS = 60_000;

export type Runner = Awaited<ReturnType<typeof startRunner>>;

type Project = ApiProject & Pick<TurnOptions, 'paths' | 'repository' | 'pullRequests' | 'agent'>;

interface Running {
  readonly turn: number;
  readonly stopping: AbortController;
  ended: Promise<void>;
  activity: string | null;
}

/** Throws StoreError, TurnFailedError if an agent doesn't start, the system's error if the port is taken. */
export async function startRunner(settings: RunnerSettings, { clock, log }: { clock: Clock; log: Logger }) {
  const dataDir = resolve(settings.dataDir);
  const placeOf = (jobId: string) => ({
    worktree: join(dataDir, 'worktrees', jobId),
    transcript: join(dataDir, 'transcripts', `${jobId}.jsonl`),
  });
  await using opening = new AsyncDisposableStack();
  const store = await RunnerStore.open(dataDir);
  opening.defer(() => store.close());
  const trash = join(dataDir, 'trash');
  for (const name of ['worktrees', 'transcripts', 'trash'])
    await mkdir(join(dataDir, name), { recursive: true, mode: 0o700 });
  const mark = sha256(dataDir).slice(0, 16);
  await endLeftBehind(mark);
  const projects: Project[] = [];
  const factsOf = new Map<string, AgentFacts>();
  for (const own of settings.projects) {
    const { id, repository: address, branch, command, paths } = own;
    const pullRequests = pullRequestsOf(own, settings.codeHosts, clock);
    if (pullRequests !== null) opening.defer(() => pullRequests.close());
    const remote = { address, branch, env: settings.gitEnv, mark, login: pullRequests?.login };
    const repository = new Repository(join(dataDir, 'repositories', encodeURIComponent(id)), remote);
    await repository.open();
    const agent: AgentOptions = { command, env: settings.agentEnv, mark, clock };
    const line = command.join(' ');
    const facts = factsOf.get(line) ?? (await probeAgent(agent, join(dataDir, 'worktrees')));
    factsOf.set(line, facts);
    const source = { repository: pullRequests?.repository ?? address, ref: branch };
    projects.push({ id, source, facts, paths, repository, pullRequests, agent });
  }

  const running = new Map<string, Running>();
  let isStopping = false;

  /** Runs what begins turns, or must not overlap with that, in order. */
  let last = Promise.resolve();
  const inOrder = (work: () => Promise<void>, onError: (error: unknown) => void = () => {}) => {
    last = last.then(work).catch(onError);
    return last;
  };

  function pump(): void {
    const onError = (error: unknown) => {
      log.error('turn_not_begun', { error });
      clock.at(clock.now() + AGAIN_AFTER_MS, pump);
    };
    void inOrder(async () => {
      while (!isStopping && running.size < settings.concurrency) {
        const turn = await store.transaction((tx) => tx.begin());
        if (turn === null) return;
        running.set(turn.jobId, run(turn));
      }
    }, onError);
  }

  function run(turn: Turn): Running {
    const stopping = new AbortController();
    const onLimit = () => stopping.abort(new TurnStoppedError('time_limit'));
    const cancelLimit = clock.at(clock.now() + settings.turnTimeoutMs, onLimit);
    const entry: Running = { turn: turn.number, stopping, activity: null, ended: Promise.resolve() };
    entry.ended = finish(turn, entry).finally(() => {
      cancelLimit();
      running.delete(turn.jobId);
      pump();
    });
    return entry;
  }

  async function finish(turn: Turn, entry: Running): Promise<void> {
    const startedAtMs = clock.now();
    const ended = await endOf(turn, entry).catch((error: unknown) => {
      if (error instanceof TurnStoppedError) return null;
      log.error('turn_failed', { job_id: turn.jobId, error });
      return failed(reasonOf(error));
    });
    // Agents may be killed along with the runner: a failure then proves nothing.
    const { by = 'runner' } = entry.stopping.signal.reason ?? {};
    const end = isStopping && by === 'runner' && ended?.outcome === 'failed' ? null : ended;
    const save = (tx: RunnerStore) => (end === null ? tx.interrupt(turn) : tx.end(turn, end, clock.now()));
    if (!(await untilStored(turn, save)) || end === null) return;
    const { outcome, reason } = end;
    log.info('turn_ended', { job_id: turn.jobId, outcome, reason, duration_ms: clock.now() - startedAtMs });
  }

  async function endOf(turn: Turn, entry: Running): Promise<TurnEnd> {
    if (turn.attempts > ATTEMPTS_MAX) return failed('The runner was killed in each of three attempts.');
    const job = await store.job(turn.jobId);
    const project = projects.find(({ id }) => id === job?.project);
    if (job === null || project === undefined) return failed('The runner no longer has this project.');
    const ofTurn = `${mark}.${turn.number}.`;
    const end = await runTurn({
      ...{ ...settings, ...project, ...placeOf(job.id), job, turn, store, signal: entry.stopping.signal },
      agent: { ...project.agent, mark: ofTurn },
      onActivity: (activity) => void Object.assign(entry, { activity }),
    }).finally(() => endLeftBehind(ofTurn));
    if (end.outcome !== 'failed') return end;
    // Its files may fill the disk.
    await removeTree(placeOf(job.id).worktree).catch(() => {});
    await inOrder(async () => (running.size === 1 ? project.repository.open() : undefined));
    return end;
  }

  /** Otherwise, a turn that has ended would count as running. After a restart, it runs again. */
  function untilStored(turn: Turn, work: (tx: RunnerStore) => Promise<void>): Promise<boolean> {
    const stored = store.transaction(work).then(() => true);
    return stored.catch(async (error: unknown) => {
      log.error('turn_not_ended', { job_id: turn.jobId, error });
      if (isStopping) return false;
      await removeTree(placeOf(turn.jobId).worktree).catch(() => {});
      await clock.sleep(AGAIN_AFTER_MS);
      return untilStored(turn, work);
    });
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

  const sweep = periodically(
    clock,
    SWEEP_EVERY_MS,
    async () => {
      const onError = (error: unknown) => log.error('jobs_not_archived', { error });
      await inOrder(archive, onError);
      for (const name of await readdir(trash)) await removeTree(join(trash, name)).catch(onError);
    },
    0,
  );

  const server = await serve(
    agentApi({
      ...{ ...settings, store, clock, projects },
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
    settings,
    { ...serverLimits, requestTimeout: REQUEST_WITHIN_MS },
  );
  sweep.start();
  pump();
  const resources = opening.move();
  return {
    port: server.port,
    /** By project. */
    agents: Object.fromEntries(projects.map(({ id, facts }) => [id, facts.name])),
    /** Stopped turns run again at the next start. */
    stop: async () => {
      isStopping = true;
      await server.close();
      await sweep.stop();
      await last;
      for (const { stopping } of running.values()) stopping.abort(new TurnStoppedError('runner'));
      await Promise.all([...running.values()].map(({ ended }) => ended));
      await resources.disposeAsync();
    },
  };
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
