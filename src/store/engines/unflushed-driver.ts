import type { Driver } from 'kysely';
import type { Connection, GroupCommitDriver } from './group-commit.ts';

/**
 * The same file and groups, for transactions that have ended once they are committed: a power cut may undo them, unless
 * one that waited for the disk was committed later.
 */
export class UnflushedDriver implements Driver {
  private readonly driver: GroupCommitDriver;

  constructor(driver: GroupCommitDriver) {
    this.driver = driver;
  }

  init(): Promise<void> {
    return this.driver.init();
  }

  acquireConnection(): Promise<Connection> {
    return this.driver.connect({ waitsForDisk: false });
  }

  releaseConnection(connection: Connection): Promise<void> {
    return this.driver.releaseConnection(connection);
  }

  beginTransaction(connection: Connection): Promise<void> {
    return this.driver.beginTransaction(connection);
  }

  commitTransaction(connection: Connection): Promise<void> {
    return this.driver.commitTransaction(connection);
  }

  rollbackTransaction(connection: Connection): Promise<void> {
    return this.driver.rollbackTransaction(connection);
  }

  /** Whoever has the other driver closes the file. */
  async destroy(): Promise<void> {}
}
