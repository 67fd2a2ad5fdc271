import type { TaskKind } from './store.ts';

/** There is at most one task of a kind for a subject. */
export function taskId(kind: TaskKind, subject: string): string {
  return `${kind}:${subject}`;
}
