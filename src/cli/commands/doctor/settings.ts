import type { Config, Installing } from '../../../app/config/config.ts';
import type { ConfigError } from '../../../app/config/problems.ts';
import { passwordsIn } from '../../../store/engines/postgres-errors.ts';
import { type Finding, findingsOf } from './finding.ts';

export function settingsFindings(config: Config): Finding[] {
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
