/** Something that is wrong at a place in the file. */
export interface Wrong {
  readonly path: readonly Step[];
  /** To be read after the name of the place. */
  readonly message: string;
}

/** Part of the way to a value: a key of a map, or a place in a list. */
export type Step = string | number;
