/** Words that stand in many places, and are no button of a message (`buttons.ts`). */
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
  /** One that does not say what it is called. */
  someApp: 'an app',
  /** A pull request whose address cannot be a link. */
  unlinked: (address: string) => `Pull request: ${address}`,
  /** In the plain text, in place of an address. */
  longAddress: 'use the button; the address is too long',
} as const;

/** `1 reply`, `2 replies`. */
export function replies(count: number): string {
  return `${count} ${count === 1 ? 'reply' : 'replies'}`;
}
