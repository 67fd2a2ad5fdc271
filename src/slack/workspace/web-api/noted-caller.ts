import type { WebAPICallResult } from '@slack/web-api';
import type { Clock } from '../../../engine/runtime/clock.ts';
import type { Logger } from '../../../engine/runtime/logger.ts';
import type { SlackCaller } from './caller.ts';
import { SlackCallError } from './failure.ts';

interface Notes {
  readonly log: Logger;
  readonly clock: Clock;
  readonly teamId: string;
}

/** The same caller; what comes of each call is logged. */
export function notedCaller(call: SlackCaller, { log, clock, teamId }: Notes): SlackCaller {
  return async <T extends WebAPICallResult>(method: string, args?: Readonly<Record<string, unknown>>) => {
    const startedAtMs = clock.now();
    const facts = () => ({ method, team_id: teamId, duration_ms: clock.now() - startedAtMs });
    try {
      const result = await call<T>(method, args);
      log.debug('slack_called', { ...facts(), outcome: 'done' });
      return result;
    } catch (error) {
      if (!(error instanceof SlackCallError)) throw error;
      const { outcome, code, needsAdmin } = error.failure;
      log.debug('slack_called', { ...facts(), outcome: needsAdmin ? 'needs_admin' : outcome, reason: code });
      throw error;
    }
  };
}
