import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Recipe } from '../../jobs/recipe.ts';
import type { Digest } from '../../jobs/report/report.ts';
import { sanitize } from '../../slack/protocol/slack-text.ts';
import type { ConfigFile, NamedSecrets } from './file-schema.ts';
import type { ConfigProblem, Report } from './problems.ts';
import type { SecretOf } from './values.ts';

const DEFAULT_ZONE = 'UTC';

type Given = ConfigFile['recipes'][number];

/** @param admins of the workspace: the owners of recipes that name none */
export function recipesOf(given: readonly Given[], admins: ReadonlySet<string>): readonly Recipe[] {
  return given.map(({ name, project, channel, request, values, schedule, zone, draft, owners }) => ({
    name,
    projectName: project ?? null,
    channelId: channel,
    request: sanitize(request).trim(),
    values: new Map(Object.entries(values).map(([of, value]) => [of, sanitize(value)])),
    schedule: schedule === undefined ? null : { cron: schedule, zone: zone ?? DEFAULT_ZONE },
    isDraft: draft,
    owners: owners ?? [...admins],
  }));
}

export function digestOf(given: ConfigFile['digest']): Digest | null {
  if (given === undefined) return null;
  const { channel: channelId, schedule: cron, zone = DEFAULT_ZONE } = given;
  return { channelId, schedule: { cron, zone } };
}

/** A recipe's webhook: anybody who signs with one of the secrets may start it. They do not show in logs. */
export interface Hook {
  readonly recipeName: string;
  readonly teamId: string | null;
  readonly secrets: readonly KeyObject[];
}

export function hooksOf(named: NamedSecrets, secretOf: SecretOf, report: Report): ReadonlyMap<string, Hook> {
  const hooks = new Map<string, Hook>();
  for (const { teamId, name: recipeName, variable } of webhooksIn(named)) {
    const secrets = secretsIn(recipeName, variable, secretOf);
    if ('variable' in secrets) report(secrets);
    else hooks.set(recipeName, { recipeName, teamId, secrets });
  }
  return hooks;
}

/** The variables that projects and webhooks name. */
export function secretVariables(named: NamedSecrets): string[] {
  const ofProjects = named.projects.flatMap(({ api_key_env: name }) => name ?? []);
  const ofHooks = webhooksIn(named).map(({ variable }) => variable);
  return [...ofProjects, ...ofHooks].flatMap((name) => [name, `${name}_FILE`]);
}

function webhooksIn({ recipes, workspaces }: NamedSecrets) {
  const teams = Object.entries(workspaces).map(([teamId, workspace]) => ({ teamId, ...workspace }));
  return [{ teamId: null, recipes }, ...teams].flatMap((of) =>
    of.recipes.flatMap(({ name, webhook }) =>
      webhook === undefined ? [] : [{ teamId: of.teamId, name, variable: webhook.secret_env }],
    ),
  );
}

/** The specification asks for 24 to 64 bytes. */
const BYTES_MIN = 24;
const BYTES_MAX = 64;
const SECRET = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/;

function secretsIn(name: string, variable: string, secretOf: SecretOf): readonly KeyObject[] | ConfigProblem {
  const given = secretOf(variable);
  if (given !== null && typeof given !== 'string') return given;
  const problem = (message: string): ConfigProblem => ({
    variable,
    message: `${message} (the webhook of the recipe ${name})`,
    example: `${variable}=whsec_…`,
  });
  if (given === null) return problem('is missing');
  const keys = given.split(/\s+/).map((secret) => Buffer.from(SECRET.exec(secret)?.[1] ?? '', 'base64'));
  return keys.every(({ length }) => length >= BYTES_MIN && length <= BYTES_MAX)
    ? keys.map((key) => createSecretKey(key))
    : problem(
        `must be ${BYTES_MIN} to ${BYTES_MAX} bytes in base64 ("openssl rand -base64 32"), with or without whsec_ in front; separate several with spaces`,
      );
}
