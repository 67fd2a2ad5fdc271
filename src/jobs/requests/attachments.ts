/** What is attached to a message. */
export interface Attachments {
  /** Texts that are sent with it. */
  readonly snippets: readonly Snippet[];
  /** What the agent API cannot take. */
  readonly others: readonly Unsent[];
}

/** What is only named. */
export interface Unsent {
  readonly kind: FileKind;
  /** Escaped; null: it has none. */
  readonly name: string | null;
}

/** A text in Slack that is still to be read. */
export interface Snippet {
  readonly name: string;
  /** Slack has sent it along: that of an e-mail. Absent: it has to be fetched. */
  readonly text?: string | undefined;
  /** In bytes; absent: unknown. */
  readonly size?: number | undefined;
  /** Where Slack has it; null: Slack did not say. Untrusted. */
  readonly url: string | null;
  /** Slack has not said yet what it is, nor where: it has to be asked. Absent: it has. */
  readonly fileId?: string | undefined;
}

/** `forwarded`, `attachment`: a message, or a part of one, without text. */
export const fileKinds = ['image', 'video', 'sound', 'file', 'forwarded', 'attachment'] as const;
export type FileKind = (typeof fileKinds)[number];

/** What became of a snippet. */
export type ReadSnippet =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly problem: SnippetProblem }
  /** It turned out to be no text. */
  | Unsent;

/** `unreadable`: Slack does not give it to the program. `no_text`: it is none that a person could read. */
export type SnippetProblem = 'unreadable' | 'no_text' | 'too_long';

export const noAttachments: Attachments = { snippets: [], others: [] };

/** The request of somebody who sends files without a word. */
export function seeFiles(snippets: readonly Snippet[]): string {
  return `See ${snippets.map(({ name }) => name).join(', ')}`;
}

/** A snippet as a prompt shows it. */
export function inlined(name: string, text: string): string {
  return `${name}:\n${text}`;
}
