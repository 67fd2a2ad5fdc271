import type { Queries } from '../schema/tables.ts';

export type Engine = 'sqlite' | 'postgres';

/**
 * Nobody else passes by this name until the transaction ends: for who looks whether there is something, and makes it if
 * not.
 */
export type PassAlone = (name: string) => Promise<void>;

/** What the two databases have in common. Their errors come out of it as StoreError. */
export interface Database {
  readonly queries: Queries;
  readonly engine: Engine;
  /** Whether a commit can fail without a word of what became of it: the connection broke. */
  readonly isRemote: boolean;
  passAloneIn(transaction: Queries): PassAlone;
  close(): Promise<void>;
}
