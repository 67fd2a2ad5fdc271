/** What a person did in Slack. `other`: events that mean nothing to the program. */
export const gestureKinds = [
  'command',
  'mention',
  'message',
  'button',
  'form',
  'shortcut',
  'home',
  'other',
] as const;

export type GestureKind = (typeof gestureKinds)[number];

/**
 * What became of it. `refused`: not allowed, or not possible, and the person was told. `failed`: it could not be
 * taken in. `ignored`: a message that is none of the program's business.
 */
export const gestureOutcomes = ['accepted', 'duplicate', 'refused', 'failed', 'ignored'] as const;

export type GestureOutcome = (typeof gestureOutcomes)[number];
