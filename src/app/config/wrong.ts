/** Something that is wrong at a place in the file. */
export interface Wrong {
  readonly path: readonly Step[];
  /** To be read after the name of the place. */
  readonly message: string;
}

/** Part of the way to a value: a key of a map, or a place in a list. */
export type Step = string | number;

export function isNoProject(names: readonly string[]): string {
  return `is not one of the projects (${names.join(', ') || 'there are none in this file'})`;
}

/** The indexes of values that occur before. */
export function repeated(values: readonly string[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));
}
