import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import type { ListenerDeps } from './deps.ts';

type Args = SlackEventMiddlewareArgs<'app_home_opened'> & AllMiddlewareArgs;

/** A person looks at the home tab. */
export function homeOpened({ store, clock, teamId }: ListenerDeps) {
  return async ({ event }: Args): Promise<void> => {
    if (event.tab !== 'home') return;
    await store.transaction((tx) => tx.homes.opened(teamId, event.user, clock.now()));
  };
}
