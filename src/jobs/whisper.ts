/** What one person is told in a job's thread, for their eyes only. Nothing is lost if they never see it. */
export interface Whisper {
  /** Offers *Send the correction*. */
  readonly kind: 'edited_after_sending';
  readonly messageTs: string;
}
