import { setTimeout as pause } from 'node:timers/promises';
import { inProject } from '../support/paths.ts';
import { percentile } from '../support/percentiles.ts';
import { startNode, startProgram } from '../support/processes.ts';
import { type BenchSettings, type Figures, takeTurns } from '../support/rounds.ts';
import { type Bench, compare } from '../support/rows.ts';
import { type BenchStore, createPostgresStore } from '../support/stores.ts';
import { makeNoise, silence } from './noise.ts';
import { type Delays, probe } from './probe.ts';
import { PROBED_PROJECTS, PROJECTS, storeTenants, TEAMS } from './tenants-store.ts';
import { Traffic } from './traffic.ts';

const JOBS = 100_000;
const QUICK_JOBS = 1_000;
const REPLICAS = 3;
const PROBES = 60;
const QUICK_PROBES = 5;
const PROBE_EVERY_MS = 400;
/** Checks go evenly by then, and so does the noise. */
const WARM_UP_MS = 15_000;
const QUICK_WARM_UP_MS = 1_000;
const CALM = 'calm';
const NOISE = 'noise';
const kinds = [
  ['command to card', 'card'],
  ['reply to agent', 'reply'],
  ["job's end to message", 'end'],
] as const;

export const tenants: Bench = {
  about: `How long people wait in workspaces where all is well, with ${REPLICAS} replicas on one Postgres, ${TEAMS.toLocaleString('en')} workspaces and ${JOBS.toLocaleString('en')} open jobs, while one workspace floods the program, the Slack of another is silent, and so is the agent of a project; against the same without these.`,
  run: async (settings) => {
    await using store = await createPostgresStore();
    if (store === null) {
      console.error('  not measured: TEST_DATABASE_URL names no Postgres');
      return [];
    }
    console.error('  filling the store');
    const env = await storeTenants(store, settings.quick ? QUICK_JOBS : JOBS);
    const turn = turns(store, env, settings);
    const contenders = [
      { name: CALM, measure: () => turn(false) },
      { name: NOISE, measure: () => turn(true) },
    ];
    // Each turn starts processes of its own, and warms them up.
    const rounds = await takeTurns(contenders, { ...settings, warmUpRounds: 0 });
    return kinds.flatMap(([label, kind]) =>
      (['P50', 'P95'] as const).map((share) =>
        compare(rounds, {
          label: `${label}, ${share.toLowerCase()}`,
          unit: 's',
          ours: [NOISE, kind + share],
          reference: [CALM, kind + share],
          target: { atMost: 1.5 },
        }),
      ),
    );
  },
};

function turns(store: BenchStore, env: Readonly<Record<string, string>>, settings: BenchSettings) {
  let probes = 0;
  return async (isNoisy: boolean): Promise<Figures> => {
    await using running = new AsyncDisposableStack();
    const standIns = running.use(await startNode([inProject('bench/tenants/stand-ins.ts')], {}));
    const url = `http://127.0.0.1:${standIns.port}`;
    const urls = { slackApiUrl: `${url}/api/`, agentBaseUrl: url };
    const replicas = [];
    for (let started = 0; started < REPLICAS; started += 1) {
      const { dataDir } = store;
      replicas.push(running.use(await startProgram({ settings, standIns: urls, dataDir, env })));
    }
    const ports = replicas.map(({ port }) => port);
    const traffic = running.use(new Traffic(ports, url));
    if (isNoisy) {
      await fetch(`${url}/silent`, { method: 'POST', body: JSON.stringify(silence) });
      running.use(makeNoise(traffic));
    }
    const { quick } = settings;
    await pause(quick ? QUICK_WARM_UP_MS : WARM_UP_MS);
    const first = probes;
    const count = quick ? QUICK_PROBES : PROBES;
    probes += count;
    const feel = async (_: unknown, index: number) => {
      await pause(index * PROBE_EVERY_MS);
      return probe(traffic, probedTeam(first + index), first + index);
    };
    const delays = await Promise.all(Array.from({ length: count }, feel));
    // A profile is written only at a stop.
    if (settings.profileDir !== null) await Promise.all(replicas.map((replica) => replica.stop()));
    return figuresOf(delays);
  };
}

/** Another one each time. */
function probedTeam(number: number): number {
  return (number % PROBED_PROJECTS) + PROJECTS * (number % (TEAMS / PROJECTS));
}

function figuresOf(delays: readonly Delays[]): Figures {
  return Object.fromEntries(
    kinds.flatMap(([, kind]) => {
      const seconds = delays.map((delay) => delay[`${kind}Ms`] / 1_000);
      return [
        [`${kind}P50`, percentile(seconds, 0.5)],
        [`${kind}P95`, percentile(seconds, 0.95)],
      ];
    }),
  );
}
