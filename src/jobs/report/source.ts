import type { Job } from '../job.ts';

/** Where starts come from. `again`: see `startingAgain`. */
export const sources = [
  'command',
  'form',
  'mention',
  'direct_message',
  'shortcut',
  'home',
  'reaction',
  'workflow',
  'schedule',
  'webhook',
  'again',
] as const;

/** The buttons that start a job again, as presses are recorded. */
export const startingAgain = ['start_again', 'edit_and_start'] as const;

export type Source = (typeof sources)[number];

/**
 * Where the job came from. Of one that was stored before that was recorded, only its message tells: what no message asked
 * for counts as a command.
 */
export function sourceOf({
  origin,
  requestTs,
  channelId,
}: Pick<Job, 'origin' | 'requestTs' | 'channelId'>): Source {
  if (origin !== undefined) return origin.kind;
  if (requestTs === undefined) return 'command';
  return channelId.startsWith('D') ? 'direct_message' : 'mention';
}
