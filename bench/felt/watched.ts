/** What watching jobs cost, and what it was worth. */
export interface Watched {
  readonly reads: number;
  /** For how long jobs were open, all of them added up. */
  readonly openMs: number;
  /** From the end of each job until it was noticed. */
  readonly delaysMs: readonly number[];
}
