import type { z } from 'zod';
import type { PullRequestLink } from '../jobs/pull-requests/link.ts';
import type { PullRequestFacts } from '../jobs/pull-requests/pull-request.ts';
import type { Answer } from './client/host-client.ts';
import type { ReadingName } from './look-memory.ts';

/**
 * Reads the API at the repository's path plus `rest`: `/pulls/14`. Throws an UnreadableError. `schema` must
 * accept its own output, which is stored and compared.
 */
export type Read = <T>(rest: string, schema: z.ZodType<T>) => Promise<T>;

/** What is special to one kind of code host: paths, answers, names of permissions. */
export interface Dialect {
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The repository's path under the API's URL. */
  repositoryPath(link: PullRequestLink): string;
  /** Matches that path once the repository has moved. */
  readonly movedTo: RegExp;
  /** What any token may ask about itself; `base` and `rest` together. */
  readonly tokenPath: string;
  /** When the token expires, by the answer; null: unknown, or never. */
  tokenEndsAtMs(answer: Extract<Answer, { kind: 'read' }>): number | null;
  details(read: Read, number: number): Promise<Details>;
  /** What else there is to read; absent: the details include it. */
  readonly others: { readonly [Name in Exclude<ReadingName, 'details'>]?: OtherReading };
}

export interface Details {
  readonly facts: PullRequestFacts;
  /** The last commit; null: the host does not say. */
  readonly commit: string | null;
}

export interface OtherReading {
  /** Each is needed, by the host's names; `Checks or Actions`: either. */
  readonly permissions: readonly string[];
  /** Its facts hold for one commit only. */
  readonly isOfCommit: boolean;
  /** `lacks` collects missing permissions that reduce the facts. */
  read(
    read: Read,
    pullRequest: { readonly number: number; readonly commit: string },
    lacks: (permission: string) => void,
  ): Promise<PullRequestFacts>;
}
