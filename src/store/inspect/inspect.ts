import type { StoreLocation } from '../open.ts';
import type { StoreFacts } from './facts.ts';
import { inspectPostgres } from './postgres.ts';
import { inspectSqlite } from './sqlite.ts';

/**
 * Looks at the store without changing it, also while a docs-agent runs on it. Throws StoreError if it cannot be
 * opened, read or written.
 */
export function inspectStore(location: StoreLocation, nowMs: number): Promise<StoreFacts> {
  return 'dataDir' in location
    ? inspectSqlite(location.dataDir, nowMs)
    : inspectPostgres(location.databaseUrl, nowMs);
}
