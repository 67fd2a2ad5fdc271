/** What is wrong with one setting. Never holds the setting's value, which may be a secret. */
export interface ConfigProblem {
  readonly variable: string;
  /** What is wrong, to be read after the variable's name. */
  readonly message: string;
  /** A line that would be right. */
  readonly example: string;
  /** The setting that was probably meant, where this is none. */
  readonly meant?: string;
}

/** The message about a variable that is set and means nothing; what was probably meant may follow. */
export const UNKNOWN_SETTING = 'unknown setting';

/** What was read, or all that is wrong with it. */
export type Checked<T> = { readonly value: T } | { readonly problems: readonly ConfigProblem[] };

/** Thrown once for all that is wrong with the settings. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];
  /** Nothing is set that the program needs. */
  readonly isBlank: boolean;

  constructor(problems: readonly ConfigProblem[], isBlank = false) {
    super(`settings to correct: ${problems.map((problem) => problem.variable).join(', ')}`);
    this.name = 'ConfigError';
    this.problems = problems;
    this.isBlank = isBlank;
  }
}

/** ` (ENOENT)` */
export function failureCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
}

const FIRST_STEPS = 'Put these in .env (`cp .env.example .env`), then run `npm run -s docs-agent doctor`.';

/** One line for each problem: the variable, what is wrong, an example. */
export function formatProblems({ problems, isBlank }: ConfigError): string {
  const lines = problems.map(({ variable, message, example }) => {
    const colon = message.startsWith(UNKNOWN_SETTING) ? ':' : '';
    return `${variable}${colon} ${message}${/[.?]$/.test(message) ? '' : '.'} Example: ${example}`;
  });
  return [...lines, ...(isBlank ? [FIRST_STEPS] : [])].join('\n');
}
