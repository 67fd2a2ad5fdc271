import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Config, parseConfig } from '../../app/config/config.ts';
import { ConfigError } from '../../app/config/problems.ts';
import { systemClock } from '../../engine/runtime/clock.ts';
import { passwordsIn } from '../../store/engines/postgres-errors.ts';
import type { Host } from '../command.ts';
import { type OwnRunner, ownRunnerOf, startOwnRunner } from '../own-runner.ts';
import { askAgent, pauseFindings, readingFinding, writingFindings } from './doctor/agent.ts';
import { codeHostFindings } from './doctor/code-hosts.ts';
import {
  type Finding,
  findingsOf,
  jsonReport,
  type Level,
  SILENT,
  shown,
  type Tools,
  textReport,
  worstOf,
} from './doctor/finding.ts';
import { clockFindings, listeningFindings } from './doctor/machine.ts';
import { connectionFinding, otherProgramFindings } from './doctor/slack.ts';
import { lookAtStore, storeFailure, storeFindings } from './doctor/store.ts';
import { askSlack, workspaceFindings } from './doctor/workspaces.ts';

const TIMEOUT_MS = 10_000;

/** As monitoring systems expect of their plugins. */
const EXIT_CODES: Readonly<Record<Level, number>> = { ok: 0, warning: 1, error: 2 };
/** For monitoring systems: the state is unknown. */
const EXIT_UNKNOWN = 3;

export async function doctor(args: string[], { env }: Host): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      json: { type: 'boolean', default: false },
      'probe-write': { type: 'boolean', default: false },
    },
  });
  let findings: readonly Finding[];
  try {
    findings = [
      findingsOf('node').ok(process.versions.node),
      ...(await lookAtAll(env, values['probe-write'])),
    ];
  } catch (error) {
    console.error('doctor itself has failed; please report this:', error);
    return EXIT_UNKNOWN;
  }
  console.log(
    values.json
      ? jsonReport(findings)
      : textReport(findings, process.stdout.isTTY && process.stdout.hasColors()),
  );
  return EXIT_CODES[worstOf(findings)];
}

async function lookAtAll(env: Host['env'], probeWrite: boolean): Promise<Finding[]> {
  await using resources = new AsyncDisposableStack();
  try {
    const own = await ownRunnerOf(env);
    const config = parseConfig(own?.botEnv ?? env);
    const exitCode = own === null ? 0 : await startRunner(own, resources);
    const findings = await examine(config, { clock: systemClock, timeoutMs: TIMEOUT_MS, probeWrite });
    return shown([...runnerFindings(exitCode), ...findings], secretsOf(config));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return shown(settingsInDisorder(error), []);
  }
}

/** The program's own runner, in a folder of its own, beside one that may run. Returns its exit code; 0: it runs. */
async function startRunner({ runnerEnv }: OwnRunner, resources: AsyncDisposableStack): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'docs-agent-doctor-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const env = { ...runnerEnv, RUNNER_DATA_DIR: folder };
  const runner = await startOwnRunner(env, {
    destination: { write: () => {} },
    log: SILENT,
    clock: systemClock,
  });
  if ('exitCode' in runner) return runner.exitCode;
  resources.defer(() => runner.stop());
  return 0;
}

function runnerFindings(exitCode: number): Finding[] {
  if (exitCode === 0) return [];
  return [findingsOf('runner').error(`does not start (exit code ${exitCode})`, 'Its error above says why.')];
}

/** Checks everything that the program needs, side by side, and changes nothing. */
export async function examine(config: Config, tools: Tools): Promise<Finding[]> {
  const given = { config, tools };
  const looked = lookAtStore(given);
  const stored = looked.then(({ facts }) => facts);
  const asked = stored.then((facts) => askSlack(given, facts));
  const agent = askAgent(given);
  const findings = await Promise.all([
    settingsFindings(config),
    looked.then(({ facts, error }) => (facts === null ? storeFailure(error) : storeFindings(facts))),
    listeningFindings(config, tools.timeoutMs),
    connectionFinding(given),
    stored.then((facts) => otherProgramFindings(facts?.otherConnections ?? 0)),
    asked.then(async (slack) => workspaceFindings(slack, await stored)),
    agent.then(({ projects }) => projects.map(readingFinding)),
    stored.then((facts) => writingFindings(given, facts?.agentRefusals ?? [])),
    stored.then((facts) => (facts === null ? [] : pauseFindings(given, facts.pauses))),
    stored.then((facts) => codeHostFindings(given, facts?.pullRequests ?? [])),
    Promise.all([asked, agent]).then(([slack, { clockAheadMs: agentApi }]) =>
      clockFindings({ slack: slack.clockAheadMs, agentApi }, config.store.kind === 'postgres'),
    ),
  ]);
  return findings.flat();
}

function settingsFindings(config: Config): Finding[] {
  const { installing, transport } = config.slack;
  const mode = transport.kind === 'socket' ? 'Socket Mode' : 'HTTP mode';
  const workspaces = installing.kind === 'oauth' ? `OAuth, ${config.workspaces.size} workspaces, ` : '';
  const names = config.projects.map(({ name }) => name).join(', ');
  const inOrder = findingsOf('settings').ok(
    `${mode}, ${workspaces}${config.store.kind} store, agent API at ${config.agent.baseUrl}, ` +
      `${config.projects.length === 1 ? 'project' : 'projects'} ${names}`,
  );
  const ignored = config.ignored.map(({ variable, message, example }) =>
    findingsOf('settings', variable).warning(message, `Example: ${example}`),
  );
  return [inOrder, ...ignored];
}

/** The problems hold no values of settings. */
export function settingsInDisorder(error: ConfigError): Finding[] {
  return error.problems.map(({ variable, message, example }) =>
    findingsOf('settings', variable).error(message, `Example: ${example}`),
  );
}

export function secretsOf({ slack: { installing, transport }, agent, store, codeHosts }: Config): string[] {
  const ofInstalling =
    installing.kind === 'by_hand'
      ? [installing.botToken]
      : [
          ...[installing.clientSecret, installing.stateSecret],
          ...installing.encryptionKeys.map(({ key }) => key.export().toString('base64')),
        ];
  return [
    ...ofInstalling,
    transport.kind === 'socket' ? transport.appToken : transport.signingSecret,
    ...agent.apiKeys.values(),
    ...codeHosts.flatMap(({ credentials }) => (credentials.kind === 'token' ? credentials.token : [])),
    ...(store.kind === 'postgres' ? [store.databaseUrl, ...passwordsIn(store.databaseUrl)] : []),
  ];
}
