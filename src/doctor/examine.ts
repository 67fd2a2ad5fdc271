import type { Config } from '#app/config/config.ts';
import { features } from '#app/features.ts';
import { passwordsIn } from '#store/engines/postgres-errors.ts';
import { pauseFindings, readingFindings, writingFindings } from './agent.ts';
import { type Finding, findingsOf, type Tools } from './finding.ts';
import { checkStore, clockFindings, listeningFindings } from './machine.ts';
import { connectionFinding, otherProgramFindings } from './slack.ts';
import { askSlack } from './workspaces.ts';

export async function examine(config: Config, tools: Tools): Promise<Finding[]> {
  const given = { config, tools };
  const store = await checkStore(given);
  const { facts } = store;
  const [slack, agent, listening, connection, writing, ...ofFeatures] = await Promise.all([
    askSlack(given, facts),
    readingFindings(given),
    listeningFindings(given),
    connectionFinding(given),
    writingFindings(given, facts),
    ...features.map(({ check }) => check?.(given, facts) ?? []),
  ]);
  return [
    ...settingsFindings(config),
    ...store.findings,
    ...listening,
    connection,
    ...otherProgramFindings(facts?.otherConnections ?? 0),
    ...slack.findings,
    ...agent,
    ...writing,
    ...pauseFindings(config, facts),
    ...ofFeatures.flat(),
    ...clockFindings(slack.clockAheadMs, config.store.kind === 'postgres'),
  ];
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
