import type { Config } from '../../../app/config/config.ts';
import type { ConfigError } from '../../../app/config/problems.ts';
import { passwordsIn } from '../../../store/engines/postgres-errors.ts';
import { agentFindings, askAgent, pauseFindings, writingFindings } from './agent.ts';
import { codeHostFindings } from './code-hosts.ts';
import { type Finding, findingsOf, type Tools } from './finding.ts';
import { clockFindings, listeningFindings } from './machine.ts';
import { connectionFinding, otherProgramFindings } from './slack.ts';
import { lookAtStore, storeFailure, storeFindings } from './store.ts';
import { askSlack, workspaceFindings } from './workspaces.ts';

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
    agent.then(agentFindings),
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

/** All values that must not be shown. */
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
