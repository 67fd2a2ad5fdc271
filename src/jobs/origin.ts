/** How a job came to be. */
export type Origin = {
  readonly kind: 'command' | 'form' | 'mention' | 'direct_message' | 'shortcut' | 'home';
};
