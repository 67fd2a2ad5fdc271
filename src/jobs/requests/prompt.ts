/** Not spaces, control and format characters, those that Unicode calls ignorable, and Braille's blank. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** True if a person sees nothing in the text. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

export type PromptVerdict =
  | { readonly kind: 'ok' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'too_long'; readonly length: number; readonly maxLength: number };

/** Whether a prompt or follow-up, as the agent would read it, can be sent. */
export function judgePrompt(text: string, maxLength: number): PromptVerdict {
  if (isBlank(text)) return { kind: 'empty' };
  // By code points: what people call a character is rarely two of them, and often two UTF-16 units.
  const length = text.length > maxLength ? [...text].length : text.length;
  if (length > maxLength) return { kind: 'too_long', length, maxLength };
  return { kind: 'ok' };
}

/** Undoes Slack's escaping, which makes `&`, `<` and `>` several characters long. */
export function unescaped(slackText: string): string {
  return slackText.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
