import type { Lease } from '../store.ts';
import { prepared, type Values } from './prepared.ts';

/** A try that failed by an error of the program or its store. */
export interface TaskFailure {
  /** Without secrets, and without what people wrote. */
  readonly words: string;
  readonly nowMs: number;
  readonly runAtMs: number;
}

/** Of a task whose last try did not fail. */
export const noFailure = { failing_since: null, failure: null };

export const failTask = prepared(
  (db, { taskId, token, runAtMs, nowMs, words }: Values<Pick<Lease, 'taskId' | 'token'> & TaskFailure>) =>
    db
      .updateTable('task')
      .set((eb) => ({
        lease_token: null,
        lease_until: null,
        run_at: runAtMs,
        attempts: eb('attempts', '+', 1),
        failing_since: eb.fn.coalesce('failing_since', eb.val(nowMs)),
        failure: words,
      }))
      .where('id', '=', taskId)
      .where('lease_token', '=', token)
      .returning('kind'),
);
