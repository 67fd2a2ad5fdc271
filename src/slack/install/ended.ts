import { z } from 'zod';
import type { StoredInstallation } from '../../store/queries/workspaces/installations.ts';
import { CLOCK_SKEW_MS } from '../messages/message-event.ts';
import { createCaller } from '../workspace/web-api/caller.ts';
import { SlackCallError } from '../workspace/web-api/failure.ts';
import type { InstallParts } from './install-routes.ts';

const id = z.string().min(1).nullish();

const ended = z.object({
  team_id: id,
  enterprise_id: id,
  is_enterprise_install: z.boolean().nullish(),
  authorizations: z.array(z.object({ is_enterprise_install: z.boolean().nullish() })).nullish(),
  event_time: z.number(),
  event: z.discriminatedUnion('type', [
    z.object({ type: z.literal('app_uninstalled') }),
    z.object({
      type: z.literal('tokens_revoked'),
      tokens: z.object({ bot: z.array(z.string()).nullish() }).nullish(),
    }),
  ]),
});

type EndedParts = Pick<InstallParts, 'store' | 'directory' | 'log' | 'client' | 'vault'>;

/**
 * Removes the tokens of an ended installation: `app_uninstalled`, and `tokens_revoked` if it names the bot.
 * Such an event may arrive after the app was installed again; then it concerns the previous installation.
 */
export function whenEnded(parts: EndedParts): (body: unknown) => Promise<void> {
  const { store, directory, log } = parts;
  return async (body) => {
    const { data } = ended.safeParse(body);
    if (data === undefined) return;
    const { event, authorizations, is_enterprise_install: isOwn, team_id, enterprise_id } = data;
    const isOrganisations = authorizations?.[0]?.is_enterprise_install ?? isOwn ?? false;
    const meant = (isOrganisations ? enterprise_id : null) ?? team_id ?? enterprise_id;
    const installation = meant && (await store.transaction((tx) => tx.installations.get(meant)));
    if (!installation) return;
    if (event.type === 'tokens_revoked' && !event.tokens?.bot?.includes(installation.botUserId)) return;
    const facts = { installation_id: installation.id, slack_event: event.type };
    if (!(await isOver(parts, installation, data.event_time * 1000))) {
      log.info('old_end_of_installation', facts);
      return;
    }
    // Unless it was installed again just now.
    await store.transaction((tx) => tx.installations.remove(installation.id, installation.revision));
    directory.forget(installation.id);
    log.info('installation_ended', facts);
  };
}

/**
 * Decided by the times as far as clocks can be trusted; within that margin, Slack is asked whether the token
 * works.
 */
async function isOver(
  { client, vault }: EndedParts,
  { id, token, installedAtMs }: StoredInstallation,
  atMs: number,
): Promise<boolean> {
  const laterMs = atMs - installedAtMs;
  if (Math.abs(laterMs) > CLOCK_SKEW_MS) return laterMs > 0;
  try {
    await createCaller(client, async () => vault.open(id, token))('auth.test');
    return false;
  } catch (error) {
    if (error instanceof SlackCallError && error.failure.needsAdmin) return true;
    throw error;
  }
}
