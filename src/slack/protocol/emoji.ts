import type { Receipt } from '../../jobs/follow-ups/follow-up.ts';

/** On replies: the outcome of each. */
export const receiptEmoji: Readonly<Record<Receipt, string>> = {
  eyes: 'eyes',
  done: 'white_check_mark',
  warning: 'warning',
  muted: 'mute',
  aside: 'speech_balloon',
};

const ownEmoji = new Set(Object.values(receiptEmoji));

/** Whether the program itself adds this emoji to messages. */
export function isOwnEmoji(name: string): boolean {
  return ownEmoji.has(name);
}

/** Without its skin tone: `+1::skin-tone-2` is `+1`. */
export function withoutSkinTone(name: string): string {
  return name.split('::', 1)[0] ?? name;
}
