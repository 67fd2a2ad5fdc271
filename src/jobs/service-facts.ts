import type { TroubleKind } from './job.ts';

/** How the agent API has lately answered for a project, or a code host, as far as this process knows. */
export interface ServiceFacts {
  /** When it last did what was asked; null: not since the start. */
  readonly answeredAtMs: number | null;
  /** What has been wrong since then, or null. */
  readonly trouble: { readonly kind: TroubleKind; readonly sinceMs: number } | null;
}

/** Of a code host. `host`: `github.com`. */
export interface HostFacts {
  readonly host: string;
  readonly facts: ServiceFacts;
}

export const nothingKnown: ServiceFacts = { answeredAtMs: null, trouble: null };

/** `kind`: what was wrong with the answer; null: nothing. */
export function afterAnswer(before: ServiceFacts, kind: TroubleKind | null, nowMs: number): ServiceFacts {
  const { answeredAtMs, trouble } = before;
  if (kind === null) return { answeredAtMs: nowMs, trouble: null };
  return { answeredAtMs, trouble: { kind, sinceMs: trouble?.kind === kind ? trouble.sinceMs : nowMs } };
}
