import type { Clock } from '../../engine/runtime/clock.ts';
import type { StoredInstallation } from '../../store/queries/installations.ts';
import type { Store } from '../../store/store.ts';
import { CachedLookup } from '../workspace/web-api/cached-lookup.ts';
import type { RequestTeam } from './request-team.ts';

/** How long another replica may not know of a new installation, or of one that has ended. */
const FRESH_MS = 3_000;
const MAX_TEAMS = 5_000;

/** Which installation serves which workspace. */
export class Directory {
  private readonly store: Store;
  private readonly lookup: CachedLookup<StoredInstallation | null>;

  constructor(store: Store, clock: Clock) {
    this.store = store;
    const limits = { freshMs: FRESH_MS, max: MAX_TEAMS };
    this.lookup = new CachedLookup((teamId) => lookUp(store, teamId), clock, limits);
  }

  /** Null if there is none. Throws StoreError if the store is away and nothing is known. */
  find(teamId: string): Promise<StoredInstallation | null> {
    return this.lookup.get(teamId);
  }

  /** The same; and if an organisation's installation turns out to serve the workspace, that is remembered. */
  async findFor({ teamId, organisationId, isSure }: RequestTeam): Promise<StoredInstallation | null> {
    const found = await this.find(teamId);
    if (found !== null || organisationId === null || !isSure) return found;
    await this.store.transaction(async (tx) => {
      const organisation = await tx.installations.get(organisationId);
      if (organisation?.isOrganisation) await tx.installations.rememberOrganisation(teamId, organisationId);
    });
    this.forget(teamId);
    return this.find(teamId);
  }

  /** Something was written about it. */
  forget(teamId: string): void {
    this.lookup.forget(teamId);
  }
}

function lookUp(store: Store, teamId: string): Promise<StoredInstallation | null> {
  return store.transaction(async (tx) => {
    const own = await tx.installations.get(teamId);
    if (own !== null) return own;
    const organisationId = await tx.installations.organisationOf(teamId);
    return organisationId === null ? null : tx.installations.get(organisationId);
  });
}
