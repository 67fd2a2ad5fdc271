import { z } from 'zod';
import type { PullRequestFacts } from '../jobs/pull-requests/pull-request.ts';

/** Read separately, so that a missing permission costs only its own facts. */
export const READINGS = ['details', 'size', 'checks', 'review', 'preview'] as const;
export type ReadingName = (typeof READINGS)[number];

/** What a check leaves to the next one, as plain JSON. */
export type LookMemory = { readonly [Name in ReadingName]?: Reading };

export interface Reading {
  readonly facts: PullRequestFacts;
  /** When the host last said so; absent: never. */
  readonly readAtMs?: number;
  /** The commit that the facts describe. Absent: they describe the pull request. */
  readonly commit?: string;
  /** Why the last check could not read all of it. */
  readonly problem?: ReadingProblem;
  /** The host's answers by the end of their paths, each with its ETag. */
  readonly answers: Readonly<Record<string, TaggedAnswer>>;
}

/** `permissions`: the missing ones, by the host's names. */
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

/** A stored memory. What another version stored differently is read from the host again. */
export function decodeLookMemory(stored: unknown): LookMemory | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const known = READINGS.flatMap((name) => {
    const { data } = reading.safeParse(Reflect.get(stored, name));
    return data === undefined ? [] : [[name, data] as const];
  });
  return known.length === 0 ? null : Object.fromEntries(known);
}
