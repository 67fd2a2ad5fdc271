import type { Stage } from './job.ts';

/** A job in one of these stages is open: something is still to come of it. */
export const openStages = [
  'opening',
  'creating',
  'create_unknown',
  'working',
] as const satisfies readonly Stage['kind'][];
