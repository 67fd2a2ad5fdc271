import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';

/**
 * Every connection keeps its temporary data in memory: where only the data directory can be written, SQLite would find
 * no folder for it, and statements fail that need some, such as an upsert that returns what it wrote.
 */
export function connect(path: string, options: DatabaseSyncOptions = {}): DatabaseSync {
  const connection = new DatabaseSync(path, options);
  connection.exec('pragma temp_store = memory');
  return connection;
}
