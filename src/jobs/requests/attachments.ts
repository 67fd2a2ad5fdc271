/** What is attached to a message. */
export interface Attachments {
  /** Texts that are sent with it. */
  readonly snippets: readonly Snippet[];
  /** What the agent API cannot take. */
  readonly others: readonly FileKind[];
}

/** A text in Slack that is still to be read. */
export interface Snippet {
  readonly name: string;
  /** Where Slack has it; null: Slack did not say. Untrusted. */
  readonly url: string | null;
  /** Slack has not said yet what it is, nor where: it has to be asked. Absent: it has. */
  readonly fileId?: string | undefined;
}

/** `forwarded`: a message without text. */
export type FileKind = 'image' | 'video' | 'sound' | 'file' | 'forwarded';

/** What became of a snippet. */
export type ReadSnippet =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly problem: SnippetProblem }
  /** It turned out to be no text. */
  | { readonly name: string; readonly kind: FileKind };

/** `unreadable`: Slack does not give it to the program. */
export type SnippetProblem = 'unreadable' | 'too_long';

export const noAttachments: Attachments = { snippets: [], others: [] };

/** A snippet as a prompt shows it. */
export function inlined(name: string, text: string): string {
  return `${name}:\n${text}`;
}
