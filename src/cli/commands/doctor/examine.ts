import type { Config, Installing } from '../../../app/config/config.ts';
import type { ConfigError } from '../../../app/config/problems.ts';
import { passwordsIn } from '../../../store/engines/postgres-errors.ts';
import { agentFindings, askAgent, pauseFindings, writingFindings } from './agent.ts';
import { codeHostFindings } from './code-hosts.ts';
import { type Finding, findingsOf, type Given, type Tools } from './finding.ts';
import { clockFindings, listeningFindings } from './machine.ts';
import { connectionFinding, otherProgramFindings } from './slack.ts';
import { lookAtStore, storeFailure, storeFindings } from './store.ts';
import { askSlack, workspaceFindings } from './workspaces.ts';

/** What several checks need, found out once. */
interface Facts {
  readonly store: Awaited<ReturnType<typeof lookAtStore>>;
  readonly slack: Awaited<ReturnType<typeof askSlack>>;
  readonly agent: Awaited<ReturnType<typeof askAgent>>;
}

interface Check {
  readonly name: string;
  readonly needs: readonly (keyof Facts)[];
  readonly run: (known: Given & Facts) => readonly Finding[] | Promise<readonly Finding[]>;
}

/** A check gets only what it needs. */
function check<Need extends keyof Facts = never>(
  name: string,
  needs: readonly Need[],
  run: (known: Given & Pick<Facts, Need>) => ReturnType<Check['run']>,
): Check {
  return { name, needs, run };
}

const checks: readonly Check[] = [
  check('settings', [], ({ config }) => settingsFindings(config)),
  check('store', ['store'], ({ store }) =>
    store.facts === null ? storeFailure(store.error) : storeFindings(store.facts),
  ),
  check('listening', [], ({ config, tools }) => listeningFindings(config, tools.timeoutMs)),
  check('connection', [], async (given) => [await connectionFinding(given)]),
  check('other program', ['store'], ({ store }) => otherProgramFindings(store.facts?.otherConnections ?? 0)),
  check('workspaces', ['store', 'slack'], ({ store, slack }) => workspaceFindings(slack, store.facts)),
  check('agent', ['agent'], ({ agent }) => agentFindings(agent)),
  check('writing', ['store'], ({ store, ...given }) =>
    writingFindings(given, store.facts?.agentRefusals ?? []),
  ),
  check('limits', ['store'], ({ store, ...given }) =>
    store.facts === null ? [] : pauseFindings(given, store.facts.pauses),
  ),
  check('code hosts', ['store'], ({ store, ...given }) =>
    codeHostFindings(given, store.facts?.pullRequests ?? []),
  ),
  check('clocks', ['slack', 'agent'], ({ config, slack, agent }) =>
    clockFindings(
      { slack: slack.clockAheadMs, agentApi: agent.clockAheadMs },
      config.store.kind === 'postgres',
    ),
  ),
];

/** Checks everything that the program needs, side by side, and changes nothing. */
export async function examine(config: Config, tools: Tools): Promise<Finding[]> {
  const given = { config, tools };
  const store = lookAtStore(given);
  const facts = { store, slack: store.then(({ facts }) => askSlack(given, facts)), agent: askAgent(given) };
  const findings = checks.map(async ({ needs, run }) => {
    const known = await Promise.all(needs.map(async (need) => [need, await facts[need]] as const));
    return run({ ...given, ...(Object.fromEntries(known) as unknown as Facts) });
  });
  return (await Promise.all(findings)).flat();
}

function settingsFindings(config: Config): Finding[] {
  const ignored = config.ignored.map(({ variable, message, example }) =>
    findingsOf('settings', variable).warning(message, `Example: ${example}`),
  );
  return [settingsInOrder(config), ...ignored];
}

function settingsInOrder(config: Config): Finding {
  const { installing, transport } = config.slack;
  const mode = transport.kind === 'socket' ? 'Socket Mode' : 'HTTP mode';
  const workspaces = installing.kind === 'oauth' ? `OAuth, ${config.workspaces.size} workspaces, ` : '';
  const names = config.projects.map(({ name }) => name).join(', ');
  return findingsOf('settings').ok(
    `${mode}, ${workspaces}${config.store.kind} store, agent API at ${config.agent.baseUrl}, ` +
      `${config.projects.length === 1 ? 'project' : 'projects'} ${names}`,
  );
}

/** The problems hold no values of settings. */
export function settingsInDisorder(error: ConfigError): Finding[] {
  return error.problems.map(({ variable, message, example }) =>
    findingsOf('settings', variable).error(message, `Example: ${example}`),
  );
}

/** All values that must not be shown. */
export function secretsOf({ slack, agent, store, codeHosts }: Config): string[] {
  const { transport } = slack;
  return [
    ...installingSecrets(slack.installing),
    transport.kind === 'socket' ? transport.appToken : transport.signingSecret,
    ...agent.apiKeys.values(),
    ...codeHosts.flatMap(({ credentials }) => (credentials.kind === 'token' ? credentials.token : [])),
    ...(store.kind === 'postgres' ? [store.databaseUrl, ...passwordsIn(store.databaseUrl)] : []),
  ];
}

function installingSecrets(installing: Installing): string[] {
  if (installing.kind === 'by_hand') return [installing.botToken];
  const keys = installing.encryptionKeys.map(({ key }) => key.export().toString('base64'));
  return [installing.clientSecret, installing.stateSecret, ...keys];
}
