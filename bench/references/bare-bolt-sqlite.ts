import { DatabaseSync } from 'node:sqlite';
import { runBolt, variable } from './bolt.ts';

// Reference B: one durable insert, then the acknowledgement.

const database = new DatabaseSync(variable('DATABASE_FILE'));
database.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table request (name text primary key, content text not null) without rowid`);
const insert = database.prepare('insert or ignore into request (name, content) values (?, ?)');

await runBolt((name, content) => {
  insert.run(name, content);
});
