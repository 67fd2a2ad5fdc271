import type { PullRequestLink } from '../jobs/pull-requests/link.ts';
import type { PullRequestFacts } from '../jobs/pull-requests/pull-request.ts';
import type { HostFacts } from '../jobs/service-facts.ts';
import type { LookMemory } from './look-memory.ts';

/** The code hosts that are set up, as far as pull requests go. Nothing is ever written to them. */
export interface CodeHosts {
  /** Null: no configured host knows it, so that it is never looked at. */
  find(url: string): PullRequestLink | null;
  /**
   * Never throws for what the network or the host does, and takes half a minute at most.
   * @param before from the last look that saw the pull request; null: there was none
   */
  look(link: PullRequestLink, before: LookMemory | null): Promise<Look>;
  /** How each host has lately answered. */
  facts(): readonly HostFacts[];
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

/** What a look learned. */
export type Look =
  /** `facts`: with those of earlier looks that could not be read again. */
  | { readonly outcome: 'seen'; readonly facts: PullRequestFacts; readonly memory: LookMemory }
  /** It does not exist, or may not be seen: a host gives the same answer to both. */
  | { readonly outcome: 'not_found' }
  | { readonly outcome: 'no_access'; readonly reason: NoAccessReason }
  /**
   * At its limit, out of order or unreachable. `waitMs`: how long the host asks to be left alone, if it says so.
   * `reason`: in a word, for the log.
   */
  | { readonly outcome: 'later'; readonly waitMs: number | null; readonly reason: string };

/** `bad_credentials`: the host does not know the token, or the App, or no longer. */
export type NoAccessReason = 'bad_credentials' | 'not_allowed' | 'app_not_installed';
