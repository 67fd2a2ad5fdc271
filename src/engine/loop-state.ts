export interface LoopState {
  readonly name: string;
  /** What keeps it from looking for work, or null. */
  readonly problem: string | null;
  /** The kinds of tasks that are its work. */
  readonly tasks: readonly string[];
  readonly tasksInHand: number;
  readonly failing: readonly FailingKind[];
}

/** A kind of tasks of which every try has failed, for minutes. */
export interface FailingKind {
  readonly kind: string;
  readonly sinceMs: number;
  /** How many different tasks were tried. */
  readonly tasks: number;
  /** Of the last failure. */
  readonly words: string;
}
