import type { Logger as BoltLogger } from '@slack/bolt';
import type { Logger } from '../../engine/runtime/redact.ts';

type BoltLevel = ReturnType<BoltLogger['getLevel']>;

/**
 * Logs what Slack's libraries say, as `slack_library` events without payloads. Their debug level writes whole
 * messages, so it is dropped, and they cannot set a level or a name. Nobody can act on their info level.
 */
export function boltLogger(logger: Logger): BoltLogger {
  return {
    debug: () => {},
    info: (...parts: unknown[]) => logger.debug('slack_library', { detail: describe(parts) }),
    warn: (...parts: unknown[]) => logger.warn('slack_library', { detail: describe(parts) }),
    error: (...parts: unknown[]) => logger.error('slack_library', { detail: describe(parts) }),
    // The libraries ask this to decide whether to build payloads for `debug`.
    getLevel: () => 'info' as BoltLevel,
    setLevel: () => {},
    setName: () => {},
  };
}

function describe(parts: readonly unknown[]): string {
  return parts.map(describePart).join(' ');
}

function describePart(part: unknown): string {
  if (part instanceof Error) {
    const code = 'code' in part ? ` (${String(part.code)})` : '';
    return `${part.name}: ${part.message}${code}`;
  }
  return typeof part === 'object' && part !== null ? '[object]' : String(part);
}
