import type { PullRequestLink } from '../jobs/pull-requests/link.ts';
import type { PullRequestFacts } from '../jobs/pull-requests/pull-request.ts';
import type { HostFacts } from '../jobs/service-facts.ts';
import type { LookMemory } from './look-memory.ts';

/** The configured code hosts, for pull requests. Nothing is ever written to them. */
export interface CodeHosts {
  /** Null: no configured host knows it, so it is never checked. */
  find(url: string): PullRequestLink | null;
  /**
   * Never throws for failures of network or host, and takes half a minute at most.
   * @param before from the last check that saw the pull request; null: none
   */
  look(link: PullRequestLink, before: LookMemory | null): Promise<Look>;
  /** Each host's recent answers. */
  facts(): readonly HostFacts[];
  /** Aborts what is in flight. */
  close(): Promise<void>;
}

/** The result of a check. */
export type Look =
  /** `facts`: includes earlier ones that could not be read again. */
  | { readonly outcome: 'seen'; readonly facts: PullRequestFacts; readonly memory: LookMemory }
  /** It does not exist, or may not be seen: hosts answer both alike. */
  | { readonly outcome: 'not_found' }
  | { readonly outcome: 'no_access'; readonly reason: NoAccessReason }
  /**
   * Rate-limited, broken or unreachable. `waitMs`: how long the host asks to be left alone, if it says so.
   * `reason`: one word for the log.
   */
  | { readonly outcome: 'later'; readonly waitMs: number | null; readonly reason: string };

/** `bad_credentials`: the host does not know the token or App, or no longer. */
export type NoAccessReason = 'bad_credentials' | 'not_allowed' | 'app_not_installed';
