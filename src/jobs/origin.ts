/** How a job came to be. */
export type Origin =
  | {
      readonly kind:
        | 'command'
        | 'form'
        | 'mention'
        | 'direct_message'
        | 'shortcut'
        | 'home'
        | 'schedule'
        | 'webhook';
    }
  /** People marked a message with this emoji, by its name. */
  | { readonly kind: 'reaction'; readonly messageTs: string; readonly emoji: string }
  /** `waits`: the workflow goes on only when the turn has ended. */
  | { readonly kind: 'workflow'; readonly executionId: string; readonly waits: boolean };
