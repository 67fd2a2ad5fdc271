/** A problem with one setting. Never holds the setting's value, which may be a secret. */
export interface ConfigProblem {
  readonly variable: string;
  /** Read after the variable's name. */
  readonly message: string;
  readonly example: string;
  /** The setting that an unknown one was probably meant to be. */
  readonly meant?: string;
}

/** The message about an unknown variable; a suggestion may follow. */
export const UNKNOWN_SETTING = 'unknown setting';

export type Report = (problem: ConfigProblem) => void;

export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];
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

export interface Wrong {
  readonly path: readonly Step[];
  /** Read after the name of the place. */
  readonly message: string;
}

/** Part of the path to a value: a key of a map, or an index of a list. */
export type Step = string | number;

export function isNoProject(names: readonly string[]): string {
  return `is not one of the projects (${names.join(', ') || 'there are none in this file'})`;
}

/** The indexes of repeated values. */
export function repeated(values: readonly string[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));
}
