import { ConfigError, formatProblems } from '../app/config/problems.ts';
import { StartError } from '../app/service/explain.ts';
import { codeOf, StoreError } from '../store/errors.ts';
import { EXIT_CONFIG, EXIT_TEMPORARY, EXIT_USAGE, UsageError } from './command.ts';

/** These run until they are stopped. */
const SERVICES: ReadonlySet<string> = new Set(['start', 'demo']);

/** What to tell the operator of an error that ended the command of this name, and the exit code. */
export function explainError(
  error: unknown,
  command: string,
): { readonly message: unknown; readonly exitCode: number } {
  if (error instanceof UsageError) return { message: error.message, exitCode: EXIT_USAGE };
  if (error instanceof TypeError && codeOf(error)?.startsWith('ERR_PARSE_ARGS_')) {
    // What follows the first sentence is about `--`, which no command needs.
    return { message: `${error.message.split('. ')[0]}.`, exitCode: EXIT_USAGE };
  }
  if (error instanceof ConfigError) return { message: formatProblems(error), exitCode: EXIT_CONFIG };
  if (error instanceof StartError || error instanceof StoreError) {
    const what = SERVICES.has(command) ? 'docs-agent cannot start.' : `docs-agent ${command} failed.`;
    return {
      message: `${what} ${error.message}`,
      exitCode: error.isTemporary ? EXIT_TEMPORARY : EXIT_CONFIG,
    };
  }
  return { message: error, exitCode: 1 };
}
