import type { TroubleKind } from './job.ts';

/** How the agent API has lately answered for a project, as far as this process knows. */
export interface AgentFacts {
  /** When it last did what was asked; null: not since the start. */
  readonly answeredAtMs: number | null;
  /** What has been wrong since then, or null. */
  readonly trouble: { readonly kind: TroubleKind; readonly sinceMs: number } | null;
}
