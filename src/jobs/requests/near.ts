/** The same, or one typo away. */
export function isNear(word: string, name: string): boolean {
  return slipsBetween(word, name) <= 1;
}

/**
 * The name that was probably meant: the one with the fewest typos, the first of several.
 * @param slipsMax how many may be in the name
 */
export function nearest<Name extends string>(
  word: string,
  names: readonly Name[],
  slipsMax: (name: Name) => number = () => 1,
): Name | null {
  const [best] = names
    .map((name) => ({ name, slips: slipsBetween(word, name) }))
    .filter(({ name, slips }) => slips <= slipsMax(name))
    .sort((one, other) => one.slips - other.slips);
  return best?.name ?? null;
}

/** Longer differences are another word. */
const LETTERS_MORE_MAX = 2;

/** A letter too many, too few or wrong, or two neighbours swapped, is one typo. */
function slipsBetween(word: string, name: string): number {
  if (Math.abs(word.length - name.length) > LETTERS_MORE_MAX) return Number.POSITIVE_INFINITY;
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: name.length + 1 }, (_, at) => at);
  for (let i = 1; i <= word.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= name.length; j += 1) {
      const isSame = word[i - 1] === name[j - 1];
      const isSwapped = i > 1 && j > 1 && word[i - 1] === name[j - 2] && word[i - 2] === name[j - 1];
      const ways = [slips(row, j - 1) + (isSame ? 0 : 1), slips(row, j) + 1, slips(next, j - 1) + 1];
      next.push(Math.min(...ways, isSwapped ? slips(before, j - 2) + 1 : Number.POSITIVE_INFINITY));
    }
    [before, row] = [row, next];
  }
  return slips(row, name.length);
}

function slips(row: readonly number[], at: number): number {
  return row[at] ?? Number.POSITIVE_INFINITY;
}
