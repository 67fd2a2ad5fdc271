import type { Config } from '#app/config/config.ts';
import { features } from '#app/features.ts';
import { passwordsIn } from '#store/engines/postgres-errors.ts';
import { askAgent, pauseFindings, writingFindings } from './agent.ts';
import { type Finding, findingsOf, type Tools } from './finding.ts';
import { clockFindings, listeningFindings } from './machine.ts';
import { connectionFinding, otherProgramFindings } from './slack.ts';
import { checkStore } from './store.ts';
import { askSlack } from './workspaces.ts';

export async function examine(config: Config, tools: Tools): Promise<Finding[]> {
  const given = { config, tools };
  const store = checkStore(given);
  const slack = store.then(({ facts }) => askSlack(given, facts));
  const agent = askAgent(given);
  const findings = await Promise.all([
    settingsFindings(config),
    store.then((looked) => looked.findings),
    listeningFindings(config, tools.timeoutMs),
    connectionFinding(given),
    store.then(({ facts }) => otherProgramFindings(facts?.otherConnections ?? 0)),
    slack.then((asked) => asked.findings),
    agent.then((asked) => asked.findings),
    store.then(({ facts }) => writingFindings(given, facts?.agentRefusals ?? [])),
    store.then(({ facts }) => pauseFindings(config, facts)),
    store.then(({ facts }) => Promise.all(features.map(({ check }) => check?.(given, facts) ?? []))),
    Promise.all([slack, agent]).then(([ofSlack, ofAgent]) =>
      clockFindings(
        { slack: ofSlack.clockAheadMs, agentApi: ofAgent.clockAheadMs },
        config.store.kind === 'postgres',
      ),
    ),
  ]);
  return findings.flat(2);
}

function settingsFindings(config: Config) {
  const { installing, transport } = config.slack;
  const mode = transport.kind === 'socket' ? 'Socket Mode' : 'HTTP mode';
  const workspaces = installing.kind === 'oauth' ? `OAuth, ${config.workspaces.size} workspaces, ` : '';
  const names = config.projects.map(({ name }) => name).join(', ');
  return [
    findingsOf('settings').ok(
      `${mode}, ${workspaces}${config.store.kind} store, agent API at ${config.agent.baseUrl}, ` +
        `${config.projects.length === 1 ? 'project' : 'projects'} ${names}`,
    ),
    ...config.ignored.map(({ variable, message, example }) =>
      findingsOf('settings', variable).warning(message, `Example: ${example}`),
    ),
  ];
}

export function secretsOf({ slack: { installing, transport }, agent, store, codeHosts }: Config): string[] {
  return [
    ...(installing.kind === 'by_hand'
      ? [installing.botToken]
      : [
          installing.clientSecret,
          installing.stateSecret,
          ...installing.encryptionKeys.map(({ key }) => key.export().toString('base64')),
        ]),
    transport.kind === 'socket' ? transport.appToken : transport.signingSecret,
    ...agent.apiKeys.values(),
    ...codeHosts.flatMap(({ credentials }) => (credentials.kind === 'token' ? credentials.token : [])),
    ...(store.kind === 'postgres' ? [store.databaseUrl, ...passwordsIn(store.databaseUrl)] : []),
  ];
}
