import type { SequenceType } from '../schema/migrations.ts';
import type { Queries } from '../schema/tables.ts';

/** What the two databases have in common. Their errors come out of it as StoreError. */
export interface Database {
  readonly queries: Queries;
  readonly sequenceType: SequenceType;
  /** Whether a commit can fail without a word of what became of it: the connection broke. */
  readonly isRemote: boolean;
  close(): Promise<void>;
}
