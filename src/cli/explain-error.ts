import { ConfigError, formatProblems } from '#app/config/values.ts';
import { StartError } from '#app/service/workspaces.ts';
import { codeOf, StoreError } from '#store/engines/database.ts';
import { EXIT_CONFIG, EXIT_TEMPORARY, EXIT_USAGE, UsageError } from './command.ts';
import { near, optionsOf } from './table.ts';

export function explainError(
  error: unknown,
  command: string,
): Readonly<{ message: unknown; exitCode: number }> {
  const wrongUse = error instanceof UsageError ? error.message : wrongArguments(error, command);
  if (wrongUse !== null) return { message: wrongUse, exitCode: EXIT_USAGE };
  if (error instanceof ConfigError) return { message: formatProblems(error), exitCode: EXIT_CONFIG };
  if (error instanceof StartError || error instanceof StoreError) {
    const what = command === 'start' ? 'docs-agent cannot start.' : `docs-agent ${command} failed.`;
    return {
      message: `${what} ${error.message}`,
      exitCode: error.isTemporary ? EXIT_TEMPORARY : EXIT_CONFIG,
    };
  }
  return { message: error, exitCode: 1 };
}

function wrongArguments(error: unknown, command: string) {
  if (!(error instanceof TypeError && codeOf(error)?.startsWith('ERR_PARSE_ARGS_'))) return null;
  // The rest is about values with a leading dash, which no command takes.
  const message = `${error.message.split(/\.\s/)[0]}.`;
  const meant = near(/^Unknown option '([^']+)'/.exec(message)?.[1] ?? '', optionsOf(command));
  return meant === null ? message : `${message} Did you mean ${meant}?`;
}
