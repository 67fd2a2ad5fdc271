import { fileURLToPath } from 'node:url';
import { readSqlite } from '../../crash/support/store-reader.ts';
import { type ApiJob, AS_CALLER, KEY, runnerEnv, startRunnerWorld } from '../../runner/support/world.ts';
import type { AgentEnds } from '../../support/invariants/at-rest.ts';
import { type Fleet, RUNNER, startFleet } from './fleet.ts';
import type { RunnerJob } from './runner-work.ts';

const AGENT = fileURLToPath(new URL('child/soak-agent.ts', import.meta.url));

/** The real runner as a process that can be killed, with a repository and a code host. */
export interface RunnerSide {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly project: string;
  readonly fleet: Fleet;
  agentJobs(): Promise<AgentEnds>;
  /** What its store, the repository and the code host tell. */
  work(): Promise<readonly RunnerJob[]>;
}

export async function startRunnerSide(resources: AsyncDisposableStack): Promise<RunnerSide> {
  const world = resources.use(await startRunnerWorld({ command: [process.execPath, AGENT], concurrency: 3 }));
  await world.runner.stop();
  const fleet = resources.use(await startFleet(1, runnerEnv(world), RUNNER));
  const store = readSqlite(world.settings.dataDir);
  const baseUrl = `http://127.0.0.1:${fleet.ports[0]}`;
  const { id: project } = world.settings;
  const jobs = () => store.query('select id from job');
  const branches = new Map<string, RunnerJob['branches'][number]>();

  /** Branches that are as they were are not read again. */
  function branchOf([name = '', tip = '']: readonly string[]): RunnerJob['branches'][number] {
    const key = `${name} ${tip}`;
    const commits = () => Number(world.git('rev-list', '--count', `main..${tip}`));
    const lines = () => world.git('log', '--format=', '--patch', `main..${tip}`).match(/(?<=^\+)[^+].*/gm);
    const branch = branches.get(key) ?? { name, commits: commits(), lines: lines() ?? [] };
    branches.set(key, branch);
    return branch;
  }

  return {
    ...{ baseUrl, apiKey: KEY, project, fleet },
    agentJobs: async () => {
      const ends = new Map<string, ApiJob>();
      for (const { id } of await jobs()) {
        const answer = await fetch(`${baseUrl}/v2/agent/${project}/job/${id}`, { headers: AS_CALLER });
        ends.set(String(id), (await answer.json()) as ApiJob);
      }
      return ends;
    },
    work: async () => {
      const turns = await store.query('select job_id, prompt, state, summary from turn order by number');
      const refs = world.git(
        'for-each-ref',
        '--format=%(refname:short) %(objectname)',
        'refs/heads/docs-agent',
      );
      const all = refs
        .split('\n')
        .filter(Boolean)
        .map((ref) => branchOf(ref.split(' ')));
      return (await jobs()).map(({ id }) => {
        const own = all.filter(({ name }) => name.includes(`-${String(id).slice(-6)}`));
        return {
          id: String(id),
          turns: turns
            .filter((turn) => turn.job_id === id)
            .map((turn) => ({
              prompt: String(turn.prompt),
              isOpen: turn.state !== 'ended' && turn.state !== 'dropped',
              isDone: turn.state === 'ended' && turn.summary !== null,
            })),
          branches: own,
          pulls: world.pulls.filter(({ head }) => own.some(({ name }) => name === head)).length,
        };
      });
    },
  };
}
