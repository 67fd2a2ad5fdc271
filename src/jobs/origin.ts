/** How a job came to be. */
export type Origin =
  | {
      readonly kind: 'command' | 'form' | 'direct_message' | 'shortcut' | 'home' | 'schedule' | 'webhook';
    }
  /** `app`: an app mentioned the bot, of which there is a draft; absent: a person did. */
  | { readonly kind: 'mention'; readonly app?: MentioningApp }
  /** People marked a message with this emoji, by its name. `authorId`: who wrote it; absent: not recorded. */
  | {
      readonly kind: 'reaction';
      readonly messageTs: string;
      readonly emoji: string;
      readonly authorId?: string;
    }
  /** `waits`: the workflow goes on only when the turn has ended. */
  | { readonly kind: 'workflow'; readonly executionId: string; readonly waits: boolean };

export interface MentioningApp {
  readonly id: string;
  /** As it calls itself. */
  readonly name: string;
  readonly messageTs: string;
  readonly permalink: string;
}

/** The message that a draft is about; null: it is about none, or the job is no draft's. */
export function draftedMessageTs(origin: Origin | undefined): string | null {
  if (origin?.kind === 'reaction') return origin.messageTs;
  return origin?.kind === 'mention' ? (origin.app?.messageTs ?? null) : null;
}
