/** What tests wait for: predicates that `later` and `waitFor` take. */

export const some = ({ length }: { readonly length: number }): boolean => length > 0;

export const has =
  (count: number) =>
  (all: { readonly length: number } | undefined): boolean =>
    all?.length === count;

export const above =
  (least: number) =>
  (value: number): boolean =>
    value > least;

/** A text with these words, or a list with this one. */
export const includes =
  <Part>(part: Part) =>
  (whole: { includes(part: Part): boolean } | null | undefined): boolean =>
    whole?.includes(part) === true;

/** A message, say. */
export const says =
  (words: string) =>
  (message: { readonly text: string } | null | undefined): boolean =>
    message?.text.includes(words) === true;

export const present = <T>(value: T): value is NonNullable<T> => value != null;
