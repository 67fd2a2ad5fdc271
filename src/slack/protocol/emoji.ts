import type { Receipt } from '../../jobs/follow-ups/follow-up.ts';
import type { StateReaction } from '../../jobs/shown/state-reaction.ts';

/** At replies: what became of each. */
export const receiptEmoji: Readonly<Record<Receipt, string>> = {
  eyes: 'eyes',
  done: 'white_check_mark',
  warning: 'warning',
  muted: 'mute',
  aside: 'speech_balloon',
};

/** At the message that asked for a job: how the job stands. */
export const stateEmoji: Readonly<Record<StateReaction, string>> = {
  taken: 'eyes',
  working: 'gear',
  ready: 'white_check_mark',
  failed: 'x',
  unclear: 'question',
};

const ownEmoji = new Set([...Object.values(receiptEmoji), ...Object.values(stateEmoji)]);

/** Whether the program itself puts this emoji at messages. */
export function isOwnEmoji(name: string): boolean {
  return ownEmoji.has(name);
}

/** Without its skin tone: `+1::skin-tone-2` is `+1`. */
export function withoutSkinTone(name: string): string {
  return name.split('::', 1)[0] ?? name;
}
