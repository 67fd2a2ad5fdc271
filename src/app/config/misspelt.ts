import { nearest } from '../../jobs/requests/near.ts';
import { type ConfigProblem, UNKNOWN_SETTING } from './problems.ts';
import { exampleOf, type SettingName, secretNames, settingNames } from './settings.ts';
import type { Environment } from './values.ts';

const OURS = /^(?:SLACK|AGENT|DOCS_AGENT)_/;
/** Kubernetes sets variables for every service in every container, including one called docs-agent. */
const OF_KUBERNETES = /_SERVICE_(?:HOST$|PORT(?:$|_))|_PORT_\d+_(?:TCP|UDP|SCTP)(?:$|_)/;
/** `DOCS_AGENT_PORT=tcp://10.0.0.1:80`, say. */
const ADDRESS_OF_KUBERNETES = /^(?:tcp|udp|sctp):\/\//;
/** In a shorter name, two different letters make a different word. */
const LONG_NAME = 8;
const slipsMax = (name: string) => (name.length >= LONG_NAME ? 2 : 1);

const known: ReadonlyMap<string, SettingName> = new Map([
  ...settingNames.map((name) => [name, name] as const),
  ...secretNames.map((name) => [`${name}_FILE`, name] as const),
]);

/**
 * What is set to no effect: names that start like ours or nearly are one, and an empty list of channels.
 * @param others variables that the settings name
 */
export function ignoredSettings(env: Environment, others: readonly string[]): ConfigProblem[] {
  const isSet = (name: string) => (env[name] ?? '').trim() !== '';
  const isOfKubernetes = (name: string) =>
    OF_KUBERNETES.test(name) || ADDRESS_OF_KUBERNETES.test(env[name] ?? '');
  const problems = Object.keys(env)
    .filter((name) => isSet(name) && !known.has(name) && !others.includes(name) && !isOfKubernetes(name))
    .flatMap((name) => {
      const meant = nearest(name.toUpperCase(), [...known.keys()], slipsMax);
      // Beside the right one, it may be another program's.
      const isMistake = OURS.test(name) || (meant !== null && !isSet(meant));
      return isMistake ? [unknown(name, meant)] : [];
    });
  return [...problems, ...emptyList(env)];
}

function unknown(variable: string, meant: string | null): ConfigProblem {
  const setting = meant === null ? undefined : known.get(meant);
  if (meant === null || setting === undefined) {
    return { variable, message: UNKNOWN_SETTING, example: `unset ${variable}` };
  }
  const example = meant === setting ? exampleOf(setting) : `${meant}=/run/secrets/${setting.toLowerCase()}`;
  return { variable, message: `${UNKNOWN_SETTING}, did you mean ${meant}?`, example, meant: setting };
}

function emptyList({ NOTICE_CHANNELS: value }: Environment): ConfigProblem[] {
  if (value === undefined || value.trim() !== '') return [];
  const message = 'is set, but empty: write channel ids, since # begins a comment in a settings file';
  return [{ variable: 'NOTICE_CHANNELS', message, example: exampleOf('NOTICE_CHANNELS') }];
}
