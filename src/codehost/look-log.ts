import type { Logger } from '../engine/runtime/logger.ts';
import type { PullRequestLink } from '../jobs/pull-requests/link.ts';
import type { Look } from './code-hosts.ts';
import { READINGS } from './look-memory.ts';

interface Asked {
  readonly durationMs: number;
  /** Requests that the host allows until its limit starts again; null: it has not said. */
  readonly remaining: number | null;
}

/** Returns what logs a look. What an administrator must repair is told once, until it is repaired. */
export function lookLog(log: Logger): (link: PullRequestLink, look: Look, asked: Asked) => void {
  const told = new Set<string>();
  const tellOnce = (topic: string, isSo: boolean, tell: () => void) => {
    if (!isSo) told.delete(topic);
    else if (!told.has(topic)) {
      told.add(topic);
      tell();
    }
  };
  return ({ host, repository, name }, look, { durationMs, remaining }) => {
    const { outcome } = look;
    const failed = outcome === 'later' ? { reason: look.reason } : {};
    log[outcome === 'later' ? 'info' : 'debug']('code_host_looked', {
      ...{ host, pull_request: name, outcome, ...failed, duration_ms: durationMs },
      ...(remaining === null ? {} : { rate_limit_remaining: remaining }),
    });
    if (outcome === 'later') return;
    const isDenied = outcome === 'no_access';
    tellOnce(`${host} ${repository} access`, isDenied, () =>
      log.warn('code_host_no_access', { host, repository, reason: isDenied ? look.reason : null }),
    );
    if (outcome !== 'seen') return;
    for (const reading of READINGS) {
      const problem = look.memory[reading]?.problem;
      if (problem?.kind === 'unavailable') continue;
      tellOnce(`${host} ${repository} ${reading}`, problem !== undefined, () =>
        log.warn('code_host_permission_missing', {
          ...{ host, repository, lost: reading, permissions: problem?.permissions },
        }),
      );
    }
  };
}
