import { z } from 'zod';
import { duration } from '../kinds.ts';

const WORD = /^[\p{L}\p{N}._-]+$/u;

/** Slack's limits of a menu, in which people choose among the projects: characters of an option, and options. */
const IN_MENU_MAX = 75;
const PROJECTS_MAX = 100;
/** More could not be shown in the form for a channel's settings. */
const NOTICE_CHANNELS_MAX = 10;

const team = z.string().regex(/^T[A-Z0-9]{2,}$/, 'must be the id of a workspace (T…)');
const channel = z.string().regex(/^[CG][A-Z0-9]{2,}$/, 'must be the id of a channel (C… or G…)');
const user = z.string().regex(/^[UW][A-Z0-9]{2,}$/, 'must be the id of a user (U… or W…)');
const userGroup = z.string().regex(/^S[A-Z0-9]{2,}$/, 'must be the id of a user group (S…)');
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
  api_key_env: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, 'must be the name of an environment variable, not the key itself')
    .optional(),
  notice_channels: z.array(channel).default([]),
});

const channelDefaults = z.strictObject({
  project: word.optional(),
  notice_channels: z
    .array(channel)
    .max(NOTICE_CHANNELS_MAX, `must be at most ${NOTICE_CHANNELS_MAX}`)
    .optional(),
  follow_ups: z.enum(['every_reply', 'mentions'], 'must be every_reply or mentions').optional(),
  follow_up_window: duration('0', '10m').optional(),
});

const access = z.strictObject({
  users: z.array(user).default([]),
  user_groups: z.array(userGroup).default([]),
  channels: z.array(channel).default([]),
  guests: z.boolean().default(false),
  other_workspaces: z.boolean().default(false),
});

const workspaceParts = {
  channels: z.record(channel, channelDefaults).default({}),
  access: access.prefault({}),
  admins: z.array(user).default([]),
};

const workspace = z.strictObject({
  projects: z.array(word).min(1, 'must name at least one project'),
  notice_channels: z.array(channel).default([]),
  ...workspaceParts,
});

/** What the file of DOCS_AGENT_CONFIG may say. */
export const configFile = z.strictObject({
  projects: z.array(project).max(PROJECTS_MAX, `must be at most ${PROJECTS_MAX}`).default([]),
  ...workspaceParts,
  workspaces: z.record(team, workspace).default({}),
});

export type ConfigFile = z.infer<typeof configFile>;
