/** A word by which a reply says that it is not for the agent. */
export type ThreadWord = 'aside' | 'mute' | 'unmute';

const ASIDE = /^\s*aside(?=[\s:,.;!—]|$)(?!\s+from\b)/i;
const MUTING = /^\s*(mute|unmute)\s*$/i;

/** `aside` counts as the first word of a reply (not `aside from …`), `mute` and `unmute` as the whole of it. */
export function threadWordOf(text: string): ThreadWord | null {
  if (ASIDE.test(text)) return 'aside';
  const [, word] = MUTING.exec(text) ?? [];
  return word === undefined ? null : word.toLowerCase() === 'mute' ? 'mute' : 'unmute';
}
