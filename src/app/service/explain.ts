import { classify, SlackCallError } from '../../slack/workspace/web-api/failure.ts';
import type { Config } from '../config/config.ts';

const CANNOT_LISTEN = new Set(['EACCES', 'EADDRNOTAVAIL', 'EAI_AGAIN', 'EINVAL', 'ENOTFOUND']);

/** Slack refused the token or did not answer. @param variable the setting that holds the token */
export function explainSlack(error: unknown, variable: string): never {
  if (!(error instanceof SlackCallError)) throw error;
  const { code, needsAdmin, outcome } = error.failure;
  throw new StartError(
    needsAdmin
      ? `Slack refuses the token (${code}). Check ${variable}: it must belong to an installed app.`
      : `Slack gave an unexpected answer (${code}). Check the network, and SLACK_API_URL if it is set.`,
    error,
    !needsAdmin && outcome !== 'refused',
  );
}

/** Throws a StartError if a port could not be opened. @param variable the setting that holds the port */
export function explainListening(
  error: unknown,
  { host, port, variable }: { readonly host: string; readonly port: number; readonly variable: string },
): void {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'EADDRINUSE') {
    throw new StartError(
      `Port ${port} on ${host} is in use. Stop what uses it, or set ${variable} to another.`,
      error,
      true,
    );
  }
  if (typeof code === 'string' && CANNOT_LISTEN.has(code)) {
    throw new StartError(
      `Cannot listen on ${host}:${port} (${code}). Set HOST and ${variable} to what is allowed.`,
      error,
    );
  }
}

/** The port could not be opened, or Slack could not be reached. */
export function explainConnection(error: unknown, { http: { host, port } }: Config): never {
  explainListening(error, { host, port, variable: 'PORT' });
  const failure = classify(error);
  return explainSlack(new SlackCallError('apps.connections.open', failure, error), 'SLACK_APP_TOKEN');
}

/** The program cannot start. The message says what happened, why, and what to do. */
export class StartError extends Error {
  /** A later start may succeed. */
  readonly isTemporary: boolean;

  constructor(message: string, cause?: unknown, isTemporary = false) {
    super(message, { cause });
    this.name = 'StartError';
    this.isTemporary = isTemporary;
  }
}
