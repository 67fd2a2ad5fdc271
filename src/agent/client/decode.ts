import { z } from 'zod';
import { cut, storable } from '../../engine/runtime/foreign-text.ts';
import { scrub } from '../../engine/runtime/redact.ts';
import type { AgentJob } from '../../jobs/agent-job.ts';

const STATUS_MAX_LENGTH = 100;
const ERROR_TEXT_MAX_LENGTH = 500;

const text = z
  .string()
  .transform((value) => storable(value).trim())
  .pipe(z.string().min(1));

const fact = text.nullable().catch(null);

/** Opaque, so it is taken as it is or not at all. A number is unexpected, but no reason to lose a job. */
const id = z.union([
  z.string().refine((value) => value.trim() !== '' && storable(value) === value),
  z.int().transform(String),
]);

const jobSchema = z.object({
  id,
  status: text
    .transform((status) => cut(status, STATUS_MAX_LENGTH))
    .optional()
    .catch(undefined),
  source: z.object({ repository: fact, ref: fact }).catch({ repository: null, ref: null }),
  model: fact,
  prLink: fact,
});

const errorSchema = z.object({ error: text });

/**
 * Reads a job out of a parsed JSON body, or null if there is none. Never throws.
 *
 * Only `id` is needed. What else is missing, null or of a wrong type becomes null, and a missing status
 * becomes `statusIfMissing`; if that is null too, the body is no job.
 */
export function decodeJob(body: unknown, statusIfMissing: string | null): AgentJob | null {
  const { data } = jobSchema.safeParse(body);
  const status = data?.status ?? statusIfMissing;
  if (data === undefined || status === null) return null;
  const { id, source, model, prLink } = data;
  return { id, status, repository: source.repository, ref: source.ref, model, prLink };
}

/** The API's own words in an error body, without `secret` and others, or null. Untrusted, at most 500 characters. */
export function decodeErrorText(body: unknown, secret: string): string | null {
  const { data } = errorSchema.safeParse(body);
  return data === undefined ? null : cut(scrub(data.error.replaceAll(secret, '…')), ERROR_TEXT_MAX_LENGTH);
}
