import { createSecretKey } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Vault } from '../../src/slack/install/vault.ts';
import { botScopes } from '../../src/slack/protocol/scopes.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { watchedJob, watchedThreadTs } from '../../test/support/watched-jobs.ts';
import { type BenchStore, changeStore } from '../support/stores.ts';
export const TEAMS = 1_000;
/** As many as the program can have: each serves ten workspaces. */
export const PROJECTS = 100;
/** The workspaces of these have no old jobs, so that their new ones need not share the reads. */
export const PROBED_PROJECTS = 10;
const CHANNELS = 7;
const JOBS_PER_COMMIT = 500;
const COMMITS_AT_ONCE = 3;
/** So often are the jobs of a project read at 600 reads a minute: they do not come all at once. */
const SPREAD_MS = 100_000;
const KEY = Buffer.alloc(32, 7);

export const teamId = (team: number) => `T${String(team).padStart(6, '0')}`;
export const botTokenOf = (id: string) => `xoxb-${id}`;
export const projectId = (project: number) => `docs-${project}`;
/** Each workspace has one project. */
export const projectOfTeam = (team: number) => team % PROJECTS;

/** Those with old jobs, which take turns. */
const busyTeams = Array.from({ length: TEAMS }, (_, team) => team).filter(
  (team) => projectOfTeam(team) >= PROBED_PROJECTS,
);

export interface Thread {
  readonly channel: string;
  readonly threadTs: string;
}

/** Of one of the workspace's old jobs. */
export function oldThread(team: number, index: number): Thread {
  return threadOf(busyTeams.indexOf(team) + index * busyTeams.length);
}

function threadOf(number: number): Thread {
  return { channel: `C${number % CHANNELS}`, threadTs: watchedThreadTs(number) };
}

/** Fills a store with workspaces, and open jobs of most of them. Returns what the program needs besides. */
export async function storeTenants(
  { location, env, dataDir }: BenchStore,
  jobs: number,
): Promise<Readonly<Record<string, string>>> {
  const store = await openStore(location);
  await installEverywhere(store);
  let stored = 0;
  const storeOnAndOn = async () => {
    while (stored < jobs) {
      const first = stored;
      stored = Math.min(first + JOBS_PER_COMMIT, jobs);
      await storeJobs(store, first, stored);
    }
  };
  await Promise.all(Array.from({ length: COMMITS_AT_ONCE }, storeOnAndOn));
  await store.close();
  await changeStore(location, 'analyze');
  const configFile = join(dataDir, 'docs-agent.yml');
  await writeFile(configFile, JSON.stringify(config()));
  return {
    ...env,
    DOCS_AGENT_CONFIG: configFile,
    SLACK_BOT_TOKEN: '',
    AGENT_PROJECT_ID: '',
    SLACK_CLIENT_ID: '12.34',
    SLACK_CLIENT_SECRET: 'bench',
    SLACK_STATE_SECRET: 'state-secret-of-benches',
    TOKEN_ENCRYPTION_KEY: `k1:${KEY.toString('base64')}`,
    // A reply that waits for more of them would hide what else it waits for.
    FOLLOW_UP_WINDOW: '0',
    // Otherwise, it would end the noise by itself.
    AGENT_HOURLY_BUDGET: '10000',
  };
}

async function installEverywhere(store: Store): Promise<void> {
  const vault = new Vault([{ id: 'k1', key: createSecretKey(KEY) }]);
  await store.transaction(async (tx) => {
    for (let team = 0; team < TEAMS; team += 1) {
      const id = teamId(team);
      const facts = { id, isOrganisation: false, enterpriseId: null, botUserId: 'U0BOT', botId: 'B0BOT' };
      const more = {
        workspaceUrl: null,
        scopes: botScopes.map(({ name }) => name),
        installedAtMs: 0,
      };
      await tx.installations.put({ ...facts, ...more, token: vault.seal(id, botTokenOf(id)) });
    }
  });
}

async function storeJobs(store: Store, first: number, end: number): Promise<void> {
  const nowMs = Date.now();
  await store.transaction(async (tx) => {
    for (let number = first; number < end; number += 1) {
      const team = busyTeams[number % busyTeams.length] ?? 0;
      const watched = watchedJob(number, projectId(projectOfTeam(team)), nowMs);
      const job = { ...watched, teamId: teamId(team), channelId: threadOf(number).channel };
      const runAtMs = nowMs + Math.random() * SPREAD_MS;
      const task = { kind: 'check_job', runAtMs: Math.round(runAtMs), ifScheduled: 'replace' } as const;
      await tx.write({ job, followUps: [], calls: [], tasks: [task] }, nowMs);
    }
  });
}

function config() {
  const projects = Array.from({ length: PROJECTS }, (_, project) => ({ id: projectId(project) }));
  const workspaces = Array.from({ length: TEAMS }, (_, team) => [
    teamId(team),
    { projects: [projectId(projectOfTeam(team))] },
  ]);
  return { projects, workspaces: Object.fromEntries(workspaces) };
}
