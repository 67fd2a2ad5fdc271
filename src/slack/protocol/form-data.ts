import { z } from 'zod';
import { fileKinds } from '../../jobs/requests/attachments.ts';

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

const composeTarget = z.object({
  /** Null: the form asks for it. */
  channelId: id.nullable(),
  responseUrl,
  attached: attachments.optional(),
  from: z.enum(['form', 'shortcut', 'home']),
});
export type ComposeTarget = Readonly<z.infer<typeof composeTarget>>;

const mentionedIn = z.object({ channelId: id, threadTs: id, messageTs: id });
export type MentionedIn = Readonly<z.infer<typeof mentionedIn>>;

const offered = mentionedIn.extend({ oldestTs: id, permalink: z.string().nullable(), responseUrl });
export type OfferedThread = Readonly<z.infer<typeof offered>>;

const saidSince = mentionedIn.extend({ jobId: id, sinceTs: id });
export type SaidSince = Readonly<z.infer<typeof saidSince>>;

const confirmation = z.object({ jobId: id, responseUrl });

/** Valid for this person and channel. See `ButtonTarget`. */
const decision = z.object({
  jobId: id,
  channelId: id,
  userId: id,
  creates: z.int().optional(),
  callId: z.string().optional(),
  draft: z.int().optional(),
});
export type DecisionForm = Readonly<z.infer<typeof decision>>;

const recipe = z.object({ recipe: id, responseUrl });

const settings = z.object({
  channelId: id,
  responseUrl,
  /** Null: never saved. */
  changedAtMs: z.number().nullable(),
  /** Where the form has no input, these stay. */
  held: z.object({
    projectId: z.string(),
    followUpMode: z.string(),
    followUpWindowMs: z.number(),
    noticeChannels: z.array(z.string()),
  }),
});
export type SettingsFormData = Readonly<z.infer<typeof settings>>;

type FormData = z.infer<
  | typeof composeTarget
  | typeof mentionedIn
  | typeof offered
  | typeof saidSince
  | typeof confirmation
  | typeof decision
  | typeof recipe
  | typeof settings
>;

/** Slack allows 3000 characters for a form, 2000 for a button. */
export function encode(data: Readonly<FormData>): string {
  return JSON.stringify(data);
}

export const decodeComposeTarget = (text: string) => decode(composeTarget, text);
export const decodeMentionedIn = (text: string) => decode(mentionedIn, text);
export const decodeOfferedThread = (text: string) => decode(offered, text);
export const decodeSaidSince = (text: string) => decode(saidSince, text);
export const decodeConfirmationForm = (text: string) => decode(confirmation, text);
export const decodeDecisionForm = (text: string) => decode(decision, text);
export const decodeRecipeForm = (text: string) => decode(recipe, text);
export const decodeSettings = (text: string) => decode(settings, text);

export function decode<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
