/** A problem at a place in the file. */
export interface Wrong {
  readonly path: readonly Step[];
  /** Read after the name of the place. */
  readonly message: string;
}

/** Part of the path to a value: a key of a map, or an index of a list. */
export type Step = string | number;

export function isNoProject(names: readonly string[]): string {
  return `is not one of the projects (${names.join(', ') || 'there are none in this file'})`;
}

/** The indexes of repeated values. */
export function repeated(values: readonly string[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));
}
