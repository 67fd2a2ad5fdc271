import { z } from 'zod';
import { foreignAddress, foreignText, storable } from '../../engine/runtime/foreign-text.ts';
import type { AgentJob } from '../../jobs/agent-job.ts';

const STATUS_MAX_LENGTH = 100;
const ERROR_TEXT_MAX_LENGTH = 500;
const NAME_MAX_LENGTH = 500;
/** Longer than any address that may become a link. */
const ADDRESS_MAX_LENGTH = 4_000;
/** Shorter keys are not looked for in names: a part of a word could be one. */
const KEY_MIN_LENGTH = 8;

const text = z.string().nullable().catch(null);

/** Opaque, so it is taken as it is or not at all. A number is unexpected, but no reason to lose a job. */
const id = z.union([
  z.string().refine((value) => value.trim() !== '' && storable(value) === value),
  z.int().transform(String),
]);

const jobSchema = z.object({
  id,
  status: text,
  source: z.object({ repository: text, ref: text }).catch({ repository: null, ref: null }),
  model: text,
  prLink: text,
});

const errorSchema = z.object({ error: z.string() });

/**
 * Reads a job out of a parsed JSON body, or null if there is none. Never throws.
 *
 * Only `id` is needed. What else is missing, null or of a wrong type becomes null, and a missing status
 * becomes `statusIfMissing`; if that is null too, the body is no job. All other texts are without secrets.
 * @param key of the project: it is a secret, too
 */
export function decodeJob(body: unknown, statusIfMissing: string | null, key: string): AgentJob | null {
  const { data } = jobSchema.safeParse(body);
  if (data === undefined) return null;
  const { id, source, model, prLink } = data;
  const said = (value: string | null, maxLength: number, read = foreignText): string | null =>
    value === null
      ? null
      : read(key.length < KEY_MIN_LENGTH ? value : withoutKey(value, key), maxLength) || null;
  const status = said(data.status, STATUS_MAX_LENGTH) ?? statusIfMissing;
  if (status === null) return null;
  return {
    id,
    status,
    repository: said(source.repository, NAME_MAX_LENGTH, foreignAddress),
    ref: said(source.ref, NAME_MAX_LENGTH),
    model: said(model, NAME_MAX_LENGTH),
    prLink: said(prLink, ADDRESS_MAX_LENGTH, foreignAddress),
  };
}

/** The API's own words in an error body, without the project's key and other secrets, or null. Untrusted, at most 500 characters. */
export function decodeErrorText(body: unknown, key: string): string | null {
  const { data } = errorSchema.safeParse(body);
  return data === undefined ? null : foreignText(withoutKey(data.error, key), ERROR_TEXT_MAX_LENGTH) || null;
}

function withoutKey(text: string, key: string): string {
  return text.replaceAll(key, '…');
}
