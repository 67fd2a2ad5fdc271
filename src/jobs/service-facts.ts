import type { Capability } from './agent-job.ts';
import type { TroubleKind } from './job.ts';

/** As known to this process. */
export type ServiceFacts = Readonly<{
  answeredAtMs: number | null;
  trouble: { readonly kind: TroubleKind; readonly sinceMs: number } | null;
  can?: readonly Capability[];
}>;

export type TroubleWords = Readonly<Record<TroubleKind, readonly [what: string, then: string]>>;

export type ServiceReport = Readonly<{
  kind: string;
  name: string;
  facts: ServiceFacts;
  words: TroubleWords;
}>;

export const nothingKnown: ServiceFacts = { answeredAtMs: null, trouble: null };

export function announces({ can }: ServiceFacts, capability: Capability): boolean {
  return can?.includes(capability) === true;
}

export function afterAnswer(before: ServiceFacts, kind: TroubleKind | null, nowMs: number): ServiceFacts {
  const { trouble } = before;
  if (kind === null) return { ...before, answeredAtMs: nowMs, trouble: null };
  return { ...before, trouble: { kind, sinceMs: trouble?.kind === kind ? trouble.sinceMs : nowMs } };
}
