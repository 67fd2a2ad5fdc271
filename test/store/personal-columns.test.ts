import { expect, test } from 'vitest';
import { classifiedColumns } from '../../src/store/forget/personal-columns.ts';
import { openDatabase } from '../../src/store/open.ts';
import { describeOnDatabases } from '../support/databases.ts';

describeOnDatabases('every column of the schema', (make) => {
  test('is known to `forget`, or to hold nothing about a person or a channel', async () => {
    const { location, remove } = await make();
    const { database } = await openDatabase(location);
    const tables = await database.queries.introspection.getTables();
    await database.close();
    await remove();
    const columns = tables.flatMap((table) =>
      table.columns.map(({ name }) => inCamelCase(`${table.name}.${name}`)),
    );
    const { personal, impersonal } = classifiedColumns();
    expect([...personal, ...impersonal].toSorted()).toEqual(columns.toSorted());
  });
});

function inCamelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
