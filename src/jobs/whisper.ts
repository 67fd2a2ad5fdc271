/** What one person is told in a job's thread, for their eyes only. Nothing is lost if they never see it. */
export type Whisper =
  | { readonly kind: 'muted' }
  | { readonly kind: 'unmuted' }
  /** Offers *Send the correction*. */
  | { readonly kind: 'edited_after_sending'; readonly messageTs: string };
