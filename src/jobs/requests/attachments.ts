export type Attachments = Readonly<{
  snippets: readonly Snippet[];
  /** No text. Pictures go along if the agent takes them; the rest is named. */
  others: readonly UnsentFile[];
}>;

/** `picture`: in a format that agents take. */
export type UnsentFile = Readonly<{ kind: FileKind; name: string | null; picture?: Snippet | undefined }>;

/** `data`: base64. */
export type SentPicture = Readonly<{ name: string; mimeType: string; data: string }>;

export type NotSent = UnreadSnippet | UnsentFile;

export type Snippet = Readonly<{
  name: string;
  /** In Slack's event, as for e-mail. */
  text?: string | undefined;
  size?: number | undefined;
  url: string | null;
  /** Slack must be asked for type and URL. */
  fileId?: string | undefined;
}>;

/** `forwarded`, `attachment`: a message, or part of one, without text. */
export const fileKinds = ['image', 'video', 'sound', 'file', 'forwarded', 'attachment'] as const;
export type FileKind = (typeof fileKinds)[number];

export type ReadSnippet = { readonly name: string; readonly text: string } | UnreadSnippet | UnsentFile;

/** `unreadable`: refused by Slack. `too_many`: for one call. */
export type SnippetProblem = 'unreadable' | 'no_text' | 'too_long' | 'too_many' | 'not_taken';

export type UnreadSnippet = Readonly<{ name: string; problem: SnippetProblem }>;

/** For one call. */
export const PICTURES_MAX = 8;
export const PICTURES_MAX_BYTES = 20 * 1024 * 1024;

/** @param pictures of unknown size count as empty */
export function areTooMany(pictures: readonly Snippet[]): boolean {
  const bytes = pictures.reduce((sum, { size = 0 }) => sum + size, 0);
  return pictures.length > PICTURES_MAX || bytes > PICTURES_MAX_BYTES;
}

export const noAttachments: Attachments = { snippets: [], others: [] };

export function seeFiles(snippets: readonly Snippet[]): string {
  return `See ${snippets.map(({ name }) => name).join(', ')}`;
}
