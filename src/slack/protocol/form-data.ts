import { z } from 'zod';
import { fileKinds } from '#jobs/requests/attachments.ts';

const snippet = z.object({
  name: z.string(),
  text: z.string().optional(),
  url: z.string().nullable(),
  fileId: z.string().optional(),
  size: z.number().optional(),
});
const attachments = z.object({
  snippets: z.array(snippet).readonly(),
  others: z.array(z.object({ kind: z.enum(fileKinds), name: z.string().nullable() })).readonly(),
});

const id = z.string().min(1);
/** For private answers. */
const responseUrl = id.nullable();

export const composeTargetData = z.object({
  /** Null: the form asks for it. */
  channelId: id.nullable(),
  responseUrl,
  attached: attachments.optional(),
  from: z.enum(['form', 'shortcut', 'home']),
});
export type ComposeTarget = Readonly<z.infer<typeof composeTargetData>>;

export const mentionedInData = z.object({ channelId: id, threadTs: id, messageTs: id });
export type MentionedIn = Readonly<z.infer<typeof mentionedInData>>;

export const offeredThreadData = mentionedInData.extend({
  oldestTs: id,
  permalink: z.string().nullable(),
  responseUrl,
});
export type OfferedThread = Readonly<z.infer<typeof offeredThreadData>>;

export const saidSinceData = mentionedInData.extend({ jobId: id, sinceTs: id });
export type SaidSince = Readonly<z.infer<typeof saidSinceData>>;

export const confirmationData = z.object({ jobId: id, responseUrl });

/** Valid for this person and channel. See `ButtonTarget`. */
export const decisionData = z.object({
  jobId: id,
  channelId: id,
  userId: id,
  creates: z.int().optional(),
  callId: z.string().optional(),
  draft: z.int().optional(),
});
export type DecisionForm = Readonly<z.infer<typeof decisionData>>;

export const recipeData = z.object({ recipe: id, responseUrl });

export const settingsData = z.object({
  channelId: id,
  responseUrl,
  /** Null: never saved. */
  changedAtMs: z.number().nullable(),
  /** Where the form has no input, these stay. */
  held: z.object({
    projectId: z.string(),
    followUpMode: z.string(),
    followUpWindowMs: z.number(),
    noticeChannels: z.array(z.string()).readonly(),
  }),
});
export type SettingsFormData = Readonly<z.infer<typeof settingsData>>;

/** Slack allows 3000 characters for a form, 2000 for a button. */
export function encode(data: object): string {
  return JSON.stringify(data);
}

export function decode<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
