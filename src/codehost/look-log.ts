import type { Logger } from '../engine/runtime/logger.ts';
import type { PullRequestLink } from '../jobs/pull-requests/link.ts';
import type { Look } from './code-hosts.ts';
import { READINGS } from './look-memory.ts';

interface Asked {
  readonly durationMs: number;
  /** Requests that the host allows until its limit starts again; null: it has not said. */
  readonly remaining: number | null;
}

/** Returns what logs a look. What an administrator must repair is told once, until it is repaired or changes. */
export function lookLog(log: Logger): (link: PullRequestLink, look: Look, asked: Asked) => void {
  const told = new Map<string, string>();
  const tellOnce = (topic: string, problem: string | null, tell: () => void) => {
    if (problem === null) told.delete(topic);
    else if (told.get(topic) !== problem) {
      told.set(topic, problem);
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
    const reason = outcome === 'no_access' ? look.reason : null;
    tellOnce(`${host} ${repository} access`, reason, () =>
      log.warn('code_host_no_access', { host, repository, reason }),
    );
    if (outcome !== 'seen') return;
    for (const reading of READINGS) {
      const problem = look.memory[reading]?.problem;
      if (problem?.kind === 'unavailable') continue;
      const permissions = problem?.permissions;
      tellOnce(`${host} ${repository} ${reading}`, permissions?.join(', ') ?? null, () =>
        log.warn('code_host_permission_missing', { host, repository, lost: reading, permissions }),
      );
    }
  };
}
