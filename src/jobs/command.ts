/** What the text behind `/docs-agent` asks for. */
export type Command =
  | { readonly kind: 'help' }
  /** A word that is kept for a command of its own. */
  | { readonly kind: 'reserved'; readonly word: string }
  | { readonly kind: 'prompt'; readonly prompt: string };

const RESERVED = /^(?:(list|settings)|(status)(?:\s+\S+)?|(watch)\s+\S+)$/i;
const FORCED_PROMPT = /^--(?:\s+|$)/;

/**
 * Reserved words count only when they are the whole text (with their one argument), so that
 * `list all our endpoints` is a prompt; `-- help` makes a prompt of anything.
 */
export function parseCommand(text: string): Command {
  const trimmed = text.trim();
  if (/^help$/i.test(trimmed)) return { kind: 'help' };
  const reserved = RESERVED.exec(trimmed);
  const word = reserved?.[1] ?? reserved?.[2] ?? reserved?.[3];
  if (word !== undefined) return { kind: 'reserved', word: word.toLowerCase() };
  return { kind: 'prompt', prompt: trimmed.replace(FORCED_PROMPT, '') };
}
