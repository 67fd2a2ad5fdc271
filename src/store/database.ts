import type { SequenceType } from './migrations.ts';
import type { Queries } from './tables.ts';

/** What the two databases have in common. Their errors come out of it as StoreError. */
export interface Database {
  readonly queries: Queries;
  readonly sequenceType: SequenceType;
  close(): Promise<void>;
}
