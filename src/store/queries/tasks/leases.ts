import { prepared, type Values } from '../prepared.ts';
import type { Lease } from './task.ts';

type Held = Pick<Lease, 'taskId' | 'token'>;

export const freeLease = { lease_token: null, lease_until: null };

/** A try that failed by an error of the program or its store. */
export interface TaskFailure {
  /** Without secrets, and without what people wrote. */
  readonly words: string;
  readonly nowMs: number;
  readonly runAtMs: number;
}

/** Of a task whose last try did not fail. */
const noFailure = { failing_since: null, failure: null };

/**
 * Locked as weakly as a takeover cannot pass: scheduling the task again must not wait for the job's lock, which this
 * transaction may want next.
 */
export const heldTask = prepared((db, { taskId, token }: Values<Held>) =>
  db.selectFrom('task').select('id').where('id', '=', taskId).where('lease_token', '=', token).forKeyShare(),
);

export const endTask = prepared((db, { taskId, token, revision }: Values<Lease>) =>
  db
    .deleteFrom('task')
    .where('id', '=', taskId)
    .where('lease_token', '=', token)
    .where('revision', '=', revision),
);

export const freeTask = prepared((db, { taskId, token }: Values<Held>) =>
  db
    .updateTable('task')
    .set({ ...freeLease, ...noFailure, attempts: 0 })
    .where('id', '=', taskId)
    .where('lease_token', '=', token)
    .returning(['kind', 'run_at']),
);

export const retryTaskAt = prepared((db, { taskId, token, runAtMs }: Values<Held & { runAtMs: number }>) =>
  db
    .updateTable('task')
    .set((eb) => ({ ...freeLease, ...noFailure, run_at: runAtMs, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', taskId)
    .where('lease_token', '=', token)
    .returning('kind'),
);

/** A task that was scheduled again while in hand keeps the time that it was scheduled for. */
export const repeatTask = prepared(
  (db, { taskId, token, revision, runAtMs }: Values<Lease & { runAtMs: number }>) =>
    db
      .updateTable('task')
      .set((eb) => ({
        ...freeLease,
        attempts: 0,
        run_at: eb.case().when('revision', '=', revision).then(runAtMs).else(eb.ref('run_at')).end(),
      }))
      .where('id', '=', taskId)
      .where('lease_token', '=', token)
      .returning(['kind', 'run_at']),
);

export const doubtTask = prepared((db, { taskId, token, untilMs }: Values<Held & { untilMs: number }>) =>
  db
    .updateTable('task')
    .set({ unsure_until: untilMs })
    .where('id', '=', taskId)
    .where('lease_token', '=', token),
);

export const delayTaskUntil = prepared((db, { taskId, token, runAtMs }: Values<Held & { runAtMs: number }>) =>
  db
    .updateTable('task')
    .set({ ...freeLease, run_at: runAtMs })
    .where('id', '=', taskId)
    .where('lease_token', '=', token)
    .returning('kind'),
);

export const failTask = prepared((db, { taskId, token, runAtMs, nowMs, words }: Values<Held & TaskFailure>) =>
  db
    .updateTable('task')
    .set((eb) => ({
      ...freeLease,
      run_at: runAtMs,
      attempts: eb('attempts', '+', 1),
      failing_since: eb.fn.coalesce('failing_since', eb.val(nowMs)),
      failure: words,
    }))
    .where('id', '=', taskId)
    .where('lease_token', '=', token)
    .returning('kind'),
);
