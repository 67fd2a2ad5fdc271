import { z } from 'zod';
import type { PullRequestFacts } from '../jobs/pull-requests/pull-request.ts';

/** What is read by itself, so that a missing permission loses that, and not all. */
export const READINGS = ['details', 'size', 'checks', 'review', 'preview'] as const;
export type ReadingName = (typeof READINGS)[number];

/** What a look leaves to the next one, as plain JSON. */
export type LookMemory = { readonly [Name in ReadingName]?: Reading };

export interface Reading {
  readonly facts: PullRequestFacts;
  /** When the host last said so; absent: never. */
  readonly readAtMs?: number;
  /** The commit that the facts are about. Absent: they are about the pull request. */
  readonly commit?: string;
  /** Why the last look could not read it, or not all of it. */
  readonly problem?: ReadingProblem;
  /** What the host answered, by the end of the path, each with the tag by which it tells that nothing has changed. */
  readonly answers: Readonly<Record<string, TaggedAnswer>>;
}

/** `permissions`: those that are missing, by the host's names. */
export type ReadingProblem =
  | { readonly kind: 'missing_permission'; readonly permissions: readonly string[] }
  | { readonly kind: 'unavailable' };

export interface TaggedAnswer {
  readonly etag: string;
  readonly body: unknown;
}

const whole = z.int().min(0);

const facts = z.object({
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  state: z.enum(['draft', 'open', 'merged', 'closed']).exactOptional(),
  endedBy: z.string().exactOptional(),
  openedAtMs: z.number().exactOptional(),
  endedAtMs: z.number().exactOptional(),
  updatedAtMs: z.number().exactOptional(),
  size: z
    .object({ files: whole, lines: z.object({ added: whole, removed: whole }).nullable() })
    .exactOptional(),
  checks: z.enum(['pending', 'passing', 'failing']).exactOptional(),
  review: z.enum(['approved', 'changes_requested']).exactOptional(),
  previewUrl: z.string().exactOptional(),
});

const reading: z.ZodType<Reading> = z.object({
  facts,
  readAtMs: z.number().exactOptional(),
  commit: z.string().exactOptional(),
  problem: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('missing_permission'), permissions: z.array(z.string()) }),
      z.object({ kind: z.literal('unavailable') }),
    ])
    .exactOptional(),
  answers: z.record(z.string(), z.object({ etag: z.string(), body: z.unknown() })),
});

/** The memory of a look, as it was stored. What another version stored differently is read from the host again. */
export function decodeLookMemory(stored: unknown): LookMemory | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const known = READINGS.flatMap((name) => {
    const { data } = reading.safeParse(Reflect.get(stored, name));
    return data === undefined ? [] : [[name, data] as const];
  });
  return known.length === 0 ? null : Object.fromEntries(known);
}
