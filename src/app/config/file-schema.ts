import { z } from 'zod';
import type { ChannelRules } from '../../jobs/policy.ts';
import { isOwnEmoji } from '../../slack/protocol/ids.ts';
import { duration, WHERE_CHANNELS_SHOW_IT, WHERE_PEOPLE_SHOW_IT } from './checks.ts';

const EMOJI = /^(?:[\p{L}\p{N}_+'-]+|:[\p{L}\p{N}_+'-]+:)$/u;
const WORD = /^[\p{L}\p{N}._-]+$/u;

/** Limits of Slack's menus, in which people choose a project: characters of an option, and options. */
const IN_MENU_MAX = 75;
const PROJECTS_MAX = 100;
/** A channel's settings form could not show more. */
const NOTICE_CHANNELS_MAX = 10;
/** Slack's maximum of options in one menu. */
const RECIPES_MAX = 100;
const RECIPE_NAME_MAX = 40;

const team = id(
  /^T[A-Z0-9]{2,}$/,
  'a workspace (T…)',
  "it is in Slack's address in a browser, after app.slack.com/client/",
);
const channel = id(/^[CG][A-Z0-9]{2,}$/, 'a channel (C… or G…)', WHERE_CHANNELS_SHOW_IT);
const user = id(/^[UW][A-Z0-9]{2,}$/, 'a user (U… or W…)', WHERE_PEOPLE_SHOW_IT);
const userGroup = id(
  /^S[A-Z0-9]{2,}$/,
  'a user group (S…)',
  'in Slack, "People", "User groups", the group, ⋯, "Copy group ID"',
);
const app = id(/^A[A-Z0-9]{2,}$/, 'an app (A…)', 'https://api.slack.com/apps, "Basic Information"');
const word = z
  .string()
  .regex(WORD, 'must be one word of letters, digits, ".", "_" and "-"')
  .max(IN_MENU_MAX, `must have at most ${IN_MENU_MAX} characters`);

const project = z.strictObject({
  id: z
    .string()
    .regex(/^\S+$/, 'must be the id of a project, without white space')
    .max(IN_MENU_MAX, `must have at most ${IN_MENU_MAX} characters`),
  name: word.optional(),
  api_key_env: variable('key').optional(),
  notice_channels: z.array(channel).default([]),
});

const emoji = z
  .string()
  .regex(EMOJI, 'must be the name of an emoji, such as memo')
  .transform((given) => given.replaceAll(':', ''))
  .refine((name) => !isOwnEmoji(name), 'is an emoji that docs-agent itself adds to messages: choose another');

const channelDefaults = z
  .strictObject({
    project: word.optional(),
    notice_channels: z
      .array(channel)
      .max(NOTICE_CHANNELS_MAX, `must be at most ${NOTICE_CHANNELS_MAX}`)
      .optional(),
    follow_ups: z.enum(['every_reply', 'mentions'], 'must be every_reply or mentions').optional(),
    follow_up_window: duration('0', '10m').optional(),
    reaction: emoji.optional(),
    approvers: z.array(user).min(1, 'must name at least one person').optional(),
  })
  .transform(
    (given): ChannelRules => ({
      projectName: given.project,
      noticeChannels: given.notice_channels,
      followUpMode: given.follow_ups,
      followUpWindowMs: given.follow_up_window,
      reaction: given.reaction,
      approvers: given.approvers,
    }),
  );

const access = z
  .strictObject({
    users: setOf(user),
    user_groups: setOf(userGroup),
    channels: setOf(channel),
    shared_channels: setOf(channel),
    guests: z.boolean().default(false),
    other_workspaces: z.boolean().default(false),
    bots: setOf(app),
  })
  .transform(
    ({
      user_groups: userGroups,
      shared_channels: sharedChannels,
      other_workspaces: otherWorkspaces,
      ...rest
    }) => ({ ...rest, userGroups, sharedChannels, otherWorkspaces }),
  );

const recipe = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9]+(?:[-_][a-z0-9]+)*$/, 'must be one word of lowercase letters, digits, "-" and "_"')
    .max(RECIPE_NAME_MAX, `must have at most ${RECIPE_NAME_MAX} characters`),
  project: word.optional(),
  channel,
  request: z.string().regex(/\S/, 'is empty'),
  values: z.record(z.string(), z.string()).default({}),
  schedule: z.string().optional(),
  zone: z.string().optional(),
  webhook: z.strictObject({ secret_env: variable('secret') }).optional(),
  draft: z.boolean().default(false),
  owners: z.array(user).min(1, 'must name at least one person').optional(),
});

const digest = z.strictObject({ channel, schedule: z.string(), zone: z.string().optional() });

const workspaceParts = {
  channels: z
    .record(channel, channelDefaults)
    .transform((byId): ReadonlyMap<string, ChannelRules> => new Map(Object.entries(byId)))
    .prefault({}),
  access: access.prefault({}),
  admins: setOf(user),
  recipes: z.array(recipe).max(RECIPES_MAX, `must be at most ${RECIPES_MAX}`).default([]),
  digest: digest.optional(),
};

const workspace = z.strictObject({
  projects: z.array(word).min(1, 'must name at least one project'),
  notice_channels: z.array(channel).default([]),
  ...workspaceParts,
});

export const configFile = z.strictObject({
  projects: z.array(project).max(PROJECTS_MAX, `must be at most ${PROJECTS_MAX}`).default([]),
  ...workspaceParts,
  workflows: z.strictObject({ channels: setOf(channel) }).prefault({}),
  workspaces: z.record(team, workspace).default({}),
});

export type ConfigFile = z.infer<typeof configFile>;

/** The variables of secrets, and their purposes, in a file that may have other problems. */
export const namedSecrets = z
  .object({
    projects: wellFormed(z.object({ id: project.shape.id, api_key_env: project.shape.api_key_env })),
    recipes: hookedRecipes(),
    workspaces: z.record(z.string(), z.object({ recipes: hookedRecipes() }).catch({ recipes: [] })).catch({}),
  })
  .catch({ projects: [], recipes: [], workspaces: {} });

export type NamedSecrets = z.infer<typeof namedSecrets>;

function hookedRecipes() {
  return wellFormed(z.object({ name: recipe.shape.name, webhook: recipe.shape.webhook }));
}

/** Skips malformed items; empty if there is no list. */
function wellFormed<Item extends z.ZodType>(item: Item) {
  return z
    .array(item.nullable().catch(null))
    .catch([])
    .transform((items) => items.filter((one) => one !== null));
}

/** @param where people find it */
function id(form: RegExp, ofWhat: string, where: string): z.ZodString {
  return z.string().regex(form, `must be the id of ${ofWhat}: ${where}`);
}

function variable(secret: 'key' | 'secret') {
  return z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, `must be the name of an environment variable, not the ${secret} itself`);
}

function setOf(item: z.ZodString) {
  return z
    .array(item)
    .transform((items): ReadonlySet<string> => new Set(items))
    .prefault([]);
}

export function keysAt(schema: z.core.$ZodType, path: readonly (string | number)[]): readonly string[] {
  if (schema instanceof z.ZodPipe) return keysAt(schema.in, path);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return keysAt(schema.unwrap(), path);
  }
  const [step, ...rest] = path;
  if (schema instanceof z.ZodObject) {
    if (step === undefined) return Object.keys(schema.shape);
    const inside = schema.shape[step];
    return inside === undefined ? [] : keysAt(inside, rest);
  }
  if (schema instanceof z.ZodRecord) return keysAt(schema.valueType, rest);
  return schema instanceof z.ZodArray ? keysAt(schema.element, rest) : [];
}
