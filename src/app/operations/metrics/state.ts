import { Gauge, type Registry } from 'prom-client';
import type { LoopState } from '../../../engine/loop-state.ts';

/** How the program is now. */
export interface ProgramState {
  readonly loops: readonly LoopState[];
  readonly isSlackConnected: boolean;
  /** Create and message calls per project and hour. */
  readonly hourlyBudget: number;
  /** Null: the store does not answer. */
  readonly store: StoreState | null;
}

/** What stands in the store; replicas that share a store all tell the same. */
export interface StoreState {
  /** How many jobs are in each of the stages in which something is still to come. */
  readonly openJobs: ReadonlyMap<string, number>;
  readonly dueTasks: readonly DueTasks[];
  /** By their kind, how many tasks have failed at every try for a minute or longer. */
  readonly failingTasks: ReadonlyMap<string, number>;
  /** Calls that are left of the hour, by the project's name. */
  readonly budgetLeft: ReadonlyMap<string, number>;
}

/** Of one kind. */
export interface DueTasks {
  readonly kind: string;
  readonly count: number;
  /** How long the oldest has been due. */
  readonly oldestMs: number;
}

const NONE_DUE = { count: 0, oldestMs: 0 };

/** Returns what shows a state. */
export function showState(registry: Registry): (state: ProgramState) => void {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `docs_agent_${name}`, help, labelNames, registers: [registry] });
  const loopUp = gauge('loop_up', '1 while the loop looks for work.', ['loop']);
  const inHand = gauge('loop_tasks_in_hand', 'Tasks that the loop is at work on.', ['loop']);
  const slackUp = gauge('slack_connection_up', '1 while requests can arrive from Slack.');
  const storeUp = gauge('store_up', '1 while the store answers.');
  const budget = gauge('hourly_budget', 'Create and message calls per project and hour.');
  const openJobs = gauge('open_jobs', 'Jobs of which something is still to come.', ['stage']);
  const due = gauge('due_tasks', 'Tasks that are due, those in hand included.', ['loop', 'task']);
  const oldest = gauge('oldest_due_task_seconds', 'How long the oldest due task has been due.', [
    'loop',
    'task',
  ]);
  const failing = gauge('failing_tasks', 'Tasks of which every try has failed, for a minute or longer.', [
    'loop',
    'task',
  ]);
  const budgetLeft = gauge('hourly_budget_left', 'What is left of the hourly budget.', ['project']);

  return ({ loops, isSlackConnected, hourlyBudget, store }) => {
    for (const { name, problem, tasksInHand } of loops) {
      loopUp.set({ loop: name }, Number(problem === null));
      inHand.set({ loop: name }, tasksInHand);
    }
    slackUp.set(Number(isSlackConnected));
    storeUp.set(Number(store !== null));
    budget.set(hourlyBudget);
    // What is not known is absent, rather than old.
    for (const known of [openJobs, due, oldest, failing, budgetLeft]) known.reset();
    if (store === null) return;
    for (const [stage, count] of store.openJobs) openJobs.set({ stage }, count);
    for (const { name: loop, tasks } of loops) {
      for (const task of tasks) {
        const { count, oldestMs } = store.dueTasks.find(({ kind }) => kind === task) ?? NONE_DUE;
        due.set({ loop, task }, count);
        oldest.set({ loop, task }, oldestMs / 1000);
        failing.set({ loop, task }, store.failingTasks.get(task) ?? 0);
      }
    }
    for (const [project, calls] of store.budgetLeft) budgetLeft.set({ project }, calls);
  };
}
