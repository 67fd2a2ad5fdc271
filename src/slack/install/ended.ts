import { z } from 'zod';
import type { Clock } from '../../engine/runtime/clock.ts';
import type { Logger } from '../../engine/runtime/redact.ts';
import type { StoredInstallation } from '../../store/queries/workspaces/installations.ts';
import type { Store } from '../../store/store.ts';
import { CLOCK_SKEW_MS } from '../messages/message-event.ts';
import type { SlackCaller } from '../workspace/web-api/caller.ts';
import { SlackCallError } from '../workspace/web-api/failure.ts';
import type { Directory } from './request-team.ts';

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
type Ended = z.infer<typeof ended>;

export interface EndedParts {
  readonly store: Store;
  readonly directory: Directory;
  readonly clock: Clock;
  readonly log: Logger;
  /** Calls with the stored token. */
  readonly callerOf: (installation: StoredInstallation) => SlackCaller;
}

/**
 * Removes the tokens of an ended installation: `app_uninstalled`, and `tokens_revoked` if it names the bot.
 * Such an event may arrive after the app was installed again; then it concerns the previous installation.
 */
export function whenEnded(parts: EndedParts): (body: unknown) => Promise<void> {
  const { store, directory, log } = parts;
  return async (body) => {
    const parsed = ended.safeParse(body);
    if (!parsed.success) return;
    const meant = installationId(parsed.data);
    const installation = meant && (await store.transaction((tx) => tx.installations.get(meant)));
    if (!installation || !isOf(installation, parsed.data)) return;
    const facts = { installation_id: installation.id, slack_event: parsed.data.event.type };
    if (!(await isOver(parts, installation, parsed.data.event_time * 1000))) {
      log.info('old_end_of_installation', facts);
      return;
    }
    // Unless it was installed again just now.
    await store.transaction((tx) => tx.installations.remove(installation.id, installation.revision));
    directory.forget(installation.id);
    log.info('installation_ended', facts);
  };
}

function installationId({
  team_id,
  enterprise_id,
  authorizations,
  is_enterprise_install,
}: Ended): string | null {
  const isOrganisations = authorizations?.[0]?.is_enterprise_install ?? is_enterprise_install ?? false;
  return (isOrganisations ? enterprise_id : null) ?? team_id ?? enterprise_id ?? null;
}

function isOf({ botUserId }: StoredInstallation, { event }: Ended): boolean {
  return event.type === 'app_uninstalled' || (event.tokens?.bot?.includes(botUserId) ?? false);
}

/**
 * Decided by the times as far as clocks can be trusted; within that margin, Slack is asked whether the token
 * works.
 */
async function isOver(
  { callerOf }: EndedParts,
  installation: StoredInstallation,
  atMs: number,
): Promise<boolean> {
  const laterMs = atMs - installation.installedAtMs;
  if (Math.abs(laterMs) > CLOCK_SKEW_MS) return laterMs > 0;
  try {
    await callerOf(installation)('auth.test');
    return false;
  } catch (error) {
    if (error instanceof SlackCallError && error.failure.needsAdmin) return true;
    throw error;
  }
}
