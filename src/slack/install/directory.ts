import type { Clock } from '../../engine/runtime/clock.ts';
import type { StoredInstallation } from '../../store/queries/workspaces/installations.ts';
import type { Store } from '../../store/store.ts';
import { CachedLookup } from '../workspace/web-api/cached-lookup.ts';
import type { RequestTeam } from './request-team.ts';

/** For this long another replica may not know of an installation that has begun or ended. */
const FRESH_MS = 3_000;
const MAX_TEAMS = 5_000;

/** Which installation serves which workspace. */
export interface Directory {
  /** Null if there is none. Throws StoreError if the store is away and nothing is known. */
  find(teamId: string): Promise<StoredInstallation | null>;
  /** The same; if an organisation's installation turns out to serve the workspace, that is remembered. */
  findFor(team: RequestTeam): Promise<StoredInstallation | null>;
  /** Its installation was changed. */
  forget(teamId: string): void;
}

export function createDirectory(store: Store, clock: Clock): Directory {
  const inStore = (teamId: string) =>
    store.transaction(async (tx) => {
      const own = await tx.installations.get(teamId);
      if (own !== null) return own;
      const organisationId = await tx.installations.organisationOf(teamId);
      return organisationId === null ? null : tx.installations.get(organisationId);
    });
  const lookup = new CachedLookup(inStore, clock, { freshMs: FRESH_MS, max: MAX_TEAMS });
  return {
    find: (teamId) => lookup.get(teamId),
    findFor: async ({ teamId, organisationId, isSure }) => {
      const found = await lookup.get(teamId);
      if (found !== null || organisationId === null || !isSure) return found;
      await store.transaction(async (tx) => {
        const organisation = await tx.installations.get(organisationId);
        if (organisation?.isOrganisation) await tx.installations.rememberOrganisation(teamId, organisationId);
      });
      lookup.forget(teamId);
      return lookup.get(teamId);
    },
    forget: (teamId) => lookup.forget(teamId),
  };
}
