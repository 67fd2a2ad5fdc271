import { sql } from 'kysely';
import { startedStages } from '../../jobs/stages.ts';

/** What is read first. `now`: it is likely that replies were missed. `sweep`: nothing shows that any were. */
export const URGENCIES = { now: 0, missed: 1, sweep: 2 } as const;

/** The threads of jobs that are going on, or were asked for since then; of each workspace the first `limit`. */
export interface LiveThreads {
  /** Null: of all workspaces. */
  readonly teamId: string | null;
  readonly sinceMs: number;
  /** Those of jobs that are going on come first, and of each kind the newest. */
  readonly limit: number;
  readonly nowMs: number;
  /** They are not read before that, but those that wait already keep their places in the line. */
  readonly fromMs: number;
  /** Nothing is known to be missed: they are read after all others, and those that were read of late are left out. */
  readonly isSweep: boolean;
}

/** Returns a row for each thread that is wanted by it. */
export function wantLiveThreads({ teamId, sinceMs, limit, nowMs, fromMs, isSweep }: LiveThreads) {
  const urgency = sql.lit(isSweep ? URGENCIES.sweep : URGENCIES.missed);
  const isGoingOn = sql`stage in (${sql.join(startedStages.map((stage) => sql.lit(stage)))})`;
  // As it stands, `team_id` would lead SQLite through all jobs of the workspace.
  const inTeam = teamId === null ? sql`` : sql`and team_id || '' = ${teamId}`;
  const unread = isSweep
    ? sql`and not exists (select 1 from catch_up c where c.job_id = job.id and c.sweep_from > ${nowMs})`
    : sql``;
  return sql<{ team_id: string }>`
    insert into catch_up (job_id, team_id, urgency, wanted_at, wishes, old_replies, failures)
    select id, team_id, ${urgency}, cast(${fromMs} as bigint) + place - 1, 1, 0, 0
    from (
      select id, team_id, row_number() over (
        partition by team_id order by case when ${isGoingOn} then 0 else 1 end, requested_at desc
      ) as place
      from job
      where thread_ts is not null and (${isGoingOn} or requested_at > ${sinceMs}) ${inTeam} ${unread}
    ) as live
    where place <= ${limit}
    order by id
    on conflict (job_id) do update set
      urgency = case when catch_up.urgency <= ${urgency} then catch_up.urgency else ${urgency} end,
      wanted_at = case
        when catch_up.urgency <= ${urgency} then catch_up.wanted_at
        else excluded.wanted_at
      end,
      wishes = catch_up.wishes + 1
    where ${isSweep ? sql`catch_up.urgency is null` : sql`1 = 1`}
    returning team_id`;
}
