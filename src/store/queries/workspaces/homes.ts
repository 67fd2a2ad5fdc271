import type { Decision } from '../../../jobs/decision.ts';
import { changesHome, HOME_SPACING_MS, mayBeSeen } from '../../../jobs/shown/lists.ts';
import type { Queries } from '../../schema/tables.ts';
import { prepared, type Values } from '../prepared.ts';
import type { Tasks } from '../tasks/tasks.ts';

const SEPARATOR = ':';

const homeOf = prepared((db, { teamId, userId }: Values<{ teamId: string; userId: string }>) =>
  db.selectFrom('home').select('opened_at').where('team_id', '=', teamId).where('user_id', '=', userId),
);

/** The owner of the home of a `refresh_home` task. */
export function ownerOfHome(subject: string): { readonly teamId: string; readonly userId: string } {
  const [teamId = '', userId = ''] = subject.split(SEPARATOR);
  return { teamId, userId };
}

/** Recently opened home tabs. */
export class Homes {
  private readonly db: Queries;
  private readonly tasks: Tasks;

  constructor(db: Queries, tasks: Tasks) {
    this.db = db;
    this.tasks = tasks;
  }

  /** Refreshes it now, and for an hour whenever a job of the person changes. */
  async opened(teamId: string, userId: string, nowMs: number): Promise<void> {
    await this.db
      .insertInto('home')
      .values({ team_id: teamId, user_id: userId, opened_at: nowMs })
      .onConflict((conflict) => conflict.columns(['team_id', 'user_id']).doUpdateSet({ opened_at: nowMs }))
      .execute();
    await this.refresh(teamId, userId, nowMs, 'replace');
  }

  /** Refreshes the requester's home if it shows the change and may be open. */
  async follow(decision: Decision, nowMs: number): Promise<void> {
    if (!changesHome(decision, nowMs)) return;
    const { teamId, requesterId: userId } = decision.job;
    if (userId === null) return;
    const home = await homeOf.first(this.db, { teamId, userId });
    if (home === undefined || !mayBeSeen(home.opened_at, nowMs)) return;
    await this.refresh(teamId, userId, nowMs + HOME_SPACING_MS, 'keep');
  }

  private refresh(
    teamId: string,
    userId: string,
    runAtMs: number,
    ifScheduled: 'keep' | 'replace',
  ): Promise<void> {
    const subject = teamId + SEPARATOR + userId;
    return this.tasks.schedule({ kind: 'refresh_home', subject, runAtMs, ifScheduled });
  }
}
