import { ConfigError, formatProblems } from '../config/problems.ts';
import { StartError } from '../start-error.ts';
import { StoreError } from '../store/errors.ts';

/** sysexits.h's EX_CONFIG, so that a supervisor can tell a wrong setting from a crash. */
const EXIT_CONFIG = 78;

/** What to tell the operator of an error that ended the program, and the exit code. */
export function explainError(error: unknown): { readonly message: unknown; readonly exitCode: number } {
  if (error instanceof ConfigError) return { message: formatProblems(error), exitCode: EXIT_CONFIG };
  if (error instanceof StartError || error instanceof StoreError) {
    return { message: `docs-agent cannot start. ${error.message}`, exitCode: 1 };
  }
  return { message: error, exitCode: 1 };
}
