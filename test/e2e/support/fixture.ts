import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { alice, bob, random } from '../../support/local-slack.ts';
import { createTestDatabase, queryAt } from '../../support/postgres.ts';
import {
  acme,
  acmeProject,
  beta,
  betaProject,
  type Surroundings,
  startTeamsProgram,
  type TeamsProgram,
  type TeamsProgramOptions,
} from '../../support/slack-teams/program.ts';
import { strictApp } from '../../support/strict-slack/ids.ts';
import type { StoredMessage } from '../../support/strict-slack/message.ts';

const FOLDER = join(import.meta.dirname, '../fixtures/0.1.0');
const DOWNTIME_MS = 60_000;

/** Where pull requests are announced. */
export const news = 'C0NEWS';

/** With what the program ran when the fixtures were made. */
const fixtureOptions: TeamsProgramOptions = {
  startMs: Date.UTC(2026, 2, 2, 9),
  tokenLifeS: 7 * 86_400,
  settings: { RETENTION: '2d', AGENT_HOURLY_BUDGET: '13' },
  configFile: `
projects:
  - { id: ${acmeProject}, name: docs, api_key_env: ACME_KEY }
  - { id: ${betaProject}, name: betadocs, api_key_env: BETA_KEY }
workspaces:
  ${acme}: { projects: [docs], admins: [${alice}], notice_channels: [${news}] }
  ${beta}: { projects: [betadocs], admins: [${alice}], notice_channels: [${news}] }
`,
  // After a follow-up, a job shows its old status for a while.
  agent: { script: () => ({ workMs: 0, ending: 'manual', lagMs: 60_000 }) },
};

/** What Slack and the agent held when the database was dumped. */
interface Outside {
  readonly atMs: number;
  /** By workspace and channel. */
  readonly messages: Readonly<Record<string, Readonly<Record<string, readonly StoredMessage[]>>>>;
  /** All that the agent took, and how turns ended, the oldest first. */
  readonly agent: readonly AgentStep[];
  /** Deliveries whose acknowledgements Slack may have missed. */
  readonly delivered: {
    readonly command: Readonly<Record<string, string>>;
    readonly event: Readonly<Record<string, unknown>>;
  };
}

type AgentStep = { readonly atMs: number; readonly projectId: string; readonly jobId: string } & (
  | { readonly kind: 'create' | 'message'; readonly prompt: string }
  | { readonly kind: 'finish'; readonly status: string; readonly prLink: string }
);

function openChannels({ slack }: Pick<Surroundings, 'slack'>): void {
  const members = [alice, bob, strictApp.botUserId];
  for (const team of [acme, beta]) {
    const { control } = slack.team(team);
    control.openChannel({ id: news, name: 'news', members });
    control.invite(random, strictApp.botUserId);
  }
}

export interface Upgraded extends TeamsProgram {
  readonly outside: Outside;
}

/** Today's program on the database of version 0.1.0, in the surroundings that it left, a minute later. */
export async function startOnFixture(postgresUrl: string | undefined): Promise<Upgraded> {
  const resources = new AsyncDisposableStack();
  const engine = postgresUrl === undefined ? 'sqlite' : 'postgres';
  const sql = await readFile(join(FOLDER, `${engine}.sql`), 'utf8');
  const outside: Outside = JSON.parse(await readFile(join(FOLDER, `${engine}.json`), 'utf8'));
  let databaseUrl: string | undefined;
  if (postgresUrl !== undefined) {
    const database = await createTestDatabase(postgresUrl);
    resources.defer(() => database.drop());
    await queryAt(database.url, sql);
    databaseUrl = database.url;
  }
  const ids = outside.agent.flatMap(({ kind, jobId }) => (kind === 'create' ? [jobId] : []));
  let created = 0;
  const newJobId = () => {
    created += 1;
    return ids[created - 1] ?? `job_new_${created}`;
  };
  const program = resources.use(
    await startTeamsProgram({
      ...fixtureOptions,
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      agent: { ...fixtureOptions.agent, newJobId },
      installed: [],
      prepare: async (surroundings) => {
        if (databaseUrl === undefined) loadSqlite(surroundings.dataDir, sql);
        await restore(surroundings, outside);
      },
    }),
  );
  return Object.assign(program, { outside, [Symbol.asyncDispose]: () => resources.disposeAsync() });
}

function loadSqlite(dataDir: string, sql: string): void {
  const file = new DatabaseSync(join(dataDir, 'docs-agent.db'));
  file.exec(sql);
  file.close();
}

async function restore({ clock, slack, agents }: Surroundings, outside: Outside): Promise<void> {
  // The tokens that the installations hold.
  for (const team of [acme, beta]) slack.tokens.exchangeCode(slack.tokens.agree(team));
  openChannels({ slack });
  for (const [team, channels] of Object.entries(outside.messages)) {
    for (const [channel, messages] of Object.entries(channels)) {
      slack.team(team).control.restore(channel, messages);
    }
  }
  for (const step of outside.agent) {
    clock.freeze(step.atMs - clock.now());
    if (step.kind === 'finish') agents.of(step.projectId).finish(step.jobId, step);
    else await send(agents.of(step.projectId).baseUrl, step);
  }
  clock.freeze(outside.atMs + DOWNTIME_MS - clock.now());
}

async function send(baseUrl: string, step: AgentStep & { readonly prompt: string }): Promise<void> {
  const path = step.kind === 'create' ? 'job' : `job/${step.jobId}/message`;
  const answer = await fetch(`${baseUrl}/v2/agent/${step.projectId}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer key-${step.projectId}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: step.prompt }),
  });
  const { id } = (await answer.json()) as { id?: string };
  if (id !== step.jobId) throw new Error(`the agent took ${JSON.stringify(step)} for ${id}`);
}
