/** `askedAtMs` in code is `asked_at_ms` in SQL. */
export const columnName = remembered((name) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
);

export const propertyName = remembered((column) =>
  column.replace(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase()),
);

function remembered(rename: (name: string) => string): (name: string) => string {
  const renamed = new Map<string, string>();
  return (name) => {
    const known = renamed.get(name) ?? rename(name);
    renamed.set(name, known);
    return known;
  };
}

/** Kysely's plugin for names, which copies each row, took a third of the processor time of a job. */
export function namedRows(properties: readonly string[], rows: readonly (readonly unknown[])[]): object[] {
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < properties.length; index += 1) {
      row[properties[index] as string] = values[index];
    }
    return row;
  });
}
