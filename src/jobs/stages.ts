import type { Stage } from './job.ts';

type Stages = readonly Stage['kind'][];

/** The agent has such a job, or may have it. */
export const startedStages = ['creating', 'create_unknown', 'working'] as const satisfies Stages;

/** A job in one of these stages is open: something is still to come of it. */
export const openStages = ['opening', ...startedStages] as const satisfies Stages;

/** Nothing is still to come of such a job, unless a person goes on with it. */
export const overStages = ['asking', 'unopened', 'rejected', 'ended'] as const satisfies Stages;

/** The program works on such a job by itself: it waits for no person. */
export const activeStages: ReadonlySet<Stage['kind']> = new Set(['opening', 'creating', 'working']);
