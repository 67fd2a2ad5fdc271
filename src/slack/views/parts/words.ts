/** Words used in several places, other than a message's buttons (`buttons.ts`). */
export const labels = {
  askDocsAgent: 'Ask Docs Agent',
  start: 'Start',
  send: 'Send',
  save: 'Save',
  next: 'Next',
  directMessage: 'a direct message',
  /** Who asked for a job, if no person did. */
  recipe: (name: string) => `recipe ${name}`,
  workflow: 'a workflow',
  somebody: 'somebody',
  /** An app without a name. */
  someApp: 'an app',
  /** A pull request whose URL cannot become a link. */
  unlinked: (address: string) => `Pull request: ${address}`,
  /** Replaces a URL in the plain text. */
  longAddress: 'use the button; the address is too long',
} as const;

/** `1 reply`, `2 replies`. */
export function replies(count: number): string {
  return `${count} ${count === 1 ? 'reply' : 'replies'}`;
}
