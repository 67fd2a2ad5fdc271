import { z } from 'zod';
import { sanitize } from '../../protocol/slack-text.ts';
import type { StepRefusal } from '../../views/step-error.ts';

/** What a workflow's author has filled in. */
export interface StepInputs {
  readonly request: string;
  readonly channelId: string;
  /** A name; null: that of the channel. */
  readonly project: string | null;
  /** Who started the workflow, as Slack says; null: nobody did. */
  readonly personId: string | null;
  readonly isDraft: boolean;
  readonly waits: boolean;
}

/** Slack does not say how it delivers what was left empty. */
const missing = z.union([z.null(), z.literal('')]).transform(() => null);
const flag = z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]);

const fields = z.object({
  channel: z.string().regex(/^[CGD][A-Z0-9]{2,254}$/),
  project: z.union([missing, z.string()]),
  // Not an id by itself: the author could write anybody's, where this says who acted.
  person: z.union([missing, z.looseObject({ id: z.string().regex(/^[UW][A-Z0-9]{2,254}$/) })]),
  draft: z.union([missing, flag]),
  wait: z.union([missing, flag]),
});

/** Reads the inputs of a step as Slack delivers them; or says which of them cannot be read. */
export function readStepInputs(given: Readonly<Record<string, unknown>>): StepInputs | StepRefusal {
  const { request = null, channel = null, project = null, person = null, draft = null, wait = null } = given;
  if (request !== null && typeof request !== 'string') return { kind: 'not_readable', input: 'request' };
  if (request === null || request.trim() === '') return { kind: 'empty' };
  if (channel === null || channel === '') return { kind: 'no_channel' };
  const read = fields.safeParse({ channel, project, person, draft, wait });
  if (!read.success) {
    return { kind: 'not_readable', input: String(read.error.issues[0]?.path[0] ?? 'request') };
  }
  const { data } = read;
  return {
    request: sanitize(request),
    channelId: data.channel,
    project: data.project?.trim() || null,
    personId: data.person?.id ?? null,
    isDraft: data.draft ?? false,
    waits: data.wait ?? false,
  };
}

/** The person who started the workflow, whatever else is wrong with the inputs; null: nobody, or not readable. */
export function personIn({ person }: Readonly<Record<string, unknown>>): string | null {
  return fields.shape.person.safeParse(person ?? null).data?.id ?? null;
}
