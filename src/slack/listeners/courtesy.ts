import type { ListenerDeps } from './deps.ts';

/** Waits for a private answer after the acknowledgement, as far as Slack takes it: nothing depends on it. */
export async function courtesy({ log }: Pick<ListenerDeps, 'log'>, answer: Promise<unknown>): Promise<void> {
  await answer.catch((error: unknown) => log.warn('answer_not_shown', { error }));
}
