export type Attachments = Readonly<{
  snippets: readonly Snippet[];
  /** What the agent API cannot take. */
  others: readonly Unsent[];
}>;

/** An attachment that is only named. */
export type Unsent = Readonly<{
  kind: FileKind;
  /** Escaped; null: it has none. */
  name: string | null;
}>;

/** A text in Slack that is still to be read. */
export type Snippet = Readonly<{
  name: string;
  /** Sent along by Slack, as for an e-mail. Absent: it has to be fetched. */
  text?: string | undefined;
  /** In bytes; absent: unknown. */
  size?: number | undefined;
  /** Where Slack has it; null: Slack did not say. Untrusted. */
  url: string | null;
  /** Slack has to be asked what it is, and where. Absent: it has said so. */
  fileId?: string | undefined;
}>;

/** `forwarded`, `attachment`: a message, or a part of one, without text. */
export const fileKinds = ['image', 'video', 'sound', 'file', 'forwarded', 'attachment'] as const;
export type FileKind = (typeof fileKinds)[number];

export type ReadSnippet =
  | { readonly name: string; readonly text: string }
  | UnreadSnippet
  /** It turned out to be no text. */
  | Unsent;

/** `unreadable`: Slack refuses to give it to the program. `no_text`: no person could read it. */
export type SnippetProblem = 'unreadable' | 'no_text' | 'too_long';

export type UnreadSnippet = Readonly<{
  name: string;
  problem: SnippetProblem;
}>;

export const noAttachments: Attachments = { snippets: [], others: [] };

/** The request of a person who sends files without a word. */
export function seeFiles(snippets: readonly Snippet[]): string {
  return `See ${snippets.map(({ name }) => name).join(', ')}`;
}

export function inlined(name: string, text: string): string {
  return `${name}:\n${text}`;
}
