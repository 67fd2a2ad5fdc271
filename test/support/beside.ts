import { DatabaseSync } from 'node:sqlite';
import { waitFor } from './wait-for.ts';

/** A connection of its own to the program's database. */
export interface Beside {
  /** Waits until the program, in this same process, has ended what it writes just then. */
  execute(sql: string): Promise<void>;
  close(): void;
}

export function beside(path: string): Beside {
  const file = new DatabaseSync(path, { timeout: 0 });
  const execute = async (sql: string) => {
    await waitFor(
      () => isDone(() => file.exec(sql)),
      (done) => done,
      { what: sql },
    );
  };
  return { execute, close: () => file.close() };
}

function isDone(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes('locked')) return false;
    throw error;
  }
}
