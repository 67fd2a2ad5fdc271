import { codeOf, LOCK_NOT_AVAILABLE, StoreError } from './database.ts';

const NETWORK_PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'nothing listens there',
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name cannot be looked up at the moment',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no route to its host',
  ENETUNREACH: 'there is no route to its host',
  ECONNRESET: 'it closed the connection',
};

export const TOO_MANY_CONNECTIONS = '53300';

const CHECK_URL = 'Check DATABASE_URL, and that Postgres runs and lets this machine in.';

const REFUSALS: Readonly<Record<string, readonly [why: string, advice: string]>> = {
  '28P01': ['it refuses the user or the password', 'Correct them in DATABASE_URL.'],
  '28000': ['it refuses the user', 'Correct it in DATABASE_URL, or allow it in pg_hba.conf.'],
  '3D000': ['it has no database of this name', 'Create the database, or correct its name in DATABASE_URL.'],
  [TOO_MANY_CONNECTIONS]: [
    'it has no connection left',
    'Raise max_connections, or the CONNECTION LIMIT of the role or database, or run fewer replicas.',
  ],
  '57P03': ['it is starting up or shutting down', 'Try again in a moment.'],
};

/** Other codes come from the network. */
const SQLSTATE = /^(\d\w|F0|HV|P0|XX)\w{3}$/;
/** Broken, starting, stopping, or not the primary. */
const LOST_STATES = /^(08|57P|25006)/;
/** Also resource shortages, operator intervention and locks. */
const PASSING_STATES = /^(08|53|57|25006|55P03)/;

const STATEMENT_ADVICE: Readonly<Record<string, string>> = {
  '25006': 'DATABASE_URL leads to a read-only server; it must lead to the primary.',
  '42501': "Give the user of DATABASE_URL the right to create and write tables in the database's schema.",
  '53100': 'Make room on the disk of the Postgres server.',
  [LOCK_NOT_AVAILABLE]: 'Another session has locked what this was to change: `docs-agent doctor` names it.',
};

export function invalidUrlError(databaseUrl: string): StoreError | null {
  const parts = /^postgres(?:ql)?:\/\/[^/?#]*(.*)$/s.exec(databaseUrl);
  if (parts === null) return new StoreError('DATABASE_URL must start with postgres:// or postgresql://.');
  // After a second @, the rest of the password would be read as host and database, and shown.
  if (!parts[1]?.includes('@')) return null;
  return new StoreError(
    'DATABASE_URL cannot be read: after the host it has another @. In user names and passwords write / ? # @ ' +
      'as %2F %3F %23 %40.',
  );
}

export function connectionErrors(databaseUrl: string): (error: unknown) => StoreError {
  const host = URL.parse(databaseUrl)?.hostname ?? '';
  const where = host === '' ? 'The Postgres database' : `The Postgres database at ${host}`;
  return (error) => {
    const code = codeOf(error);
    const refusal = REFUSALS[code ?? ''];
    const [why, advice] = refusal ?? [NETWORK_PROBLEMS[code ?? ''] ?? messageOf(error), CHECK_URL];
    const words = passwordsIn(databaseUrl).reduce((clean, word) => clean.replaceAll(word, '***'), why);
    return new StoreError(
      `${where} cannot be reached: ${words}. ${advice}`,
      code,
      refusal === undefined || PASSING_STATES.test(code ?? ''),
    );
  };
}

/** Keeps only the message: details can quote rows, which hold prompts. */
export function statementError(error: unknown): StoreError {
  const code = codeOf(error);
  const advice = STATEMENT_ADVICE[code ?? ''];
  const message = `Postgres failed: ${messageOf(error)}${code === null ? '' : ` (${code})`}.`;
  const isTemporary = isConnectionLost(code) || PASSING_STATES.test(code ?? '');
  return new StoreError(advice === undefined ? message : `${message} ${advice}`, code, isTemporary);
}

export function isConnectionLost(code: string | null): boolean {
  return code === null || !SQLSTATE.test(code) || LOST_STATES.test(code);
}

function messageOf(error: unknown) {
  return error instanceof Error ? error.message : String(error);
}

export function passwordsIn(databaseUrl: string): string[] {
  const url = URL.parse(databaseUrl);
  const password = url?.password || url?.searchParams.get('password') || '';
  return [password, unescaped(password)].filter((word) => word !== '');
}

function unescaped(text: string) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
