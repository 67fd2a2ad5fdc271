import type { TroubleKind } from './job.ts';

/** Recent answers of the agent API for a project, or of a code host, as this process knows them. */
export type ServiceFacts = Readonly<{
  /** When it last did what was asked; null: not since the start. */
  answeredAtMs: number | null;
  trouble: { readonly kind: TroubleKind; readonly sinceMs: number } | null;
}>;

/** Of a code host. `host`: `github.com`. */
export type HostFacts = Readonly<{
  host: string;
  facts: ServiceFacts;
}>;

export const nothingKnown: ServiceFacts = { answeredAtMs: null, trouble: null };

/** `kind`: what was wrong with the answer; null: nothing. */
export function afterAnswer(before: ServiceFacts, kind: TroubleKind | null, nowMs: number): ServiceFacts {
  const { answeredAtMs, trouble } = before;
  if (kind === null) return { answeredAtMs: nowMs, trouble: null };
  return { answeredAtMs, trouble: { kind, sinceMs: trouble?.kind === kind ? trouble.sinceMs : nowMs } };
}
