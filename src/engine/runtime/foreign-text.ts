/** JSON may carry NULs and halves of characters, which Postgres refuses to store. */
export function storable(value: string): string {
  return value.toWellFormed().replaceAll('\0', '');
}

/** At most so many UTF-16 units, and no half of a character at the end. */
export function cut(value: string, maxLength: number): string {
  if (value.length <= maxLength) return value;
  const half = /[\uD800-\uDBFF]$/;
  return value.slice(0, maxLength).replace(half, '');
}
