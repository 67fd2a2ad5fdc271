/** A project of the agent API. */
export interface Project {
  /** Its id at the API. */
  readonly id: string;
  /** What people call it: one word. */
  readonly name: string;
  /** Where its pull requests are told of, besides the notice channels of all projects. */
  readonly noticeChannels: readonly string[];
}
