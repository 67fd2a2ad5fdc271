import { ConfigError, formatProblems } from '../config/problems.ts';
import { StartError } from '../start-error.ts';
import { codeOf, StoreError } from '../store/errors.ts';
import { UsageError } from './command.ts';
import { EXIT_CONFIG, EXIT_TEMPORARY, EXIT_USAGE } from './exit-codes.ts';

/** What to tell the operator of an error that ended the program, and the exit code. */
export function explainError(error: unknown): { readonly message: unknown; readonly exitCode: number } {
  if (error instanceof UsageError) return { message: error.message, exitCode: EXIT_USAGE };
  if (error instanceof TypeError && codeOf(error)?.startsWith('ERR_PARSE_ARGS_')) {
    // What follows the first sentence is about `--`, which no command needs.
    return { message: `${error.message.split('. ')[0]}.`, exitCode: EXIT_USAGE };
  }
  if (error instanceof ConfigError) return { message: formatProblems(error), exitCode: EXIT_CONFIG };
  if (error instanceof StartError || error instanceof StoreError) {
    return {
      message: `docs-agent cannot start. ${error.message}`,
      exitCode: error.isTemporary ? EXIT_TEMPORARY : EXIT_CONFIG,
    };
  }
  return { message: error, exitCode: 1 };
}
