import { z } from 'zod';
import { duration } from '../kinds.ts';

const WORD = /^[\p{L}\p{N}._-]+$/u;

const channel = z.string().regex(/^[CG][A-Z0-9]{2,}$/, 'must be the id of a channel (C… or G…)');
const user = z.string().regex(/^[UW][A-Z0-9]{2,}$/, 'must be the id of a user (U… or W…)');
const userGroup = z.string().regex(/^S[A-Z0-9]{2,}$/, 'must be the id of a user group (S…)');
const word = z.string().regex(WORD, 'must be one word of letters, digits, ".", "_" and "-"');

const project = z.strictObject({
  id: z.string().regex(/^\S+$/, 'must be the id of a project, without white space'),
  name: word.optional(),
  api_key_env: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, 'must be the name of an environment variable, not the key itself')
    .optional(),
  notice_channels: z.array(channel).default([]),
});

const channelDefaults = z.strictObject({
  project: word.optional(),
  notice_channels: z.array(channel).optional(),
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

/** What the file of DOCS_AGENT_CONFIG may say. */
export const configFile = z.strictObject({
  projects: z.array(project).default([]),
  channels: z.record(channel, channelDefaults).default({}),
  access: access.prefault({}),
  admins: z.array(user).default([]),
});

export type ConfigFile = z.infer<typeof configFile>;
