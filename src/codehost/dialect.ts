import type { z } from 'zod';
import type { PullRequestLink } from '../jobs/pull-requests/link.ts';
import type { PullRequestFacts } from '../jobs/pull-requests/pull-request.ts';
import type { Answer } from './client/host-client.ts';
import type { ReadingName } from './look-memory.ts';

/**
 * Reads what the API says at the path of the repository, followed by `rest`: `/pulls/14`. Throws an UnreadableError.
 * `schema` must be able to read what it has made, since that is kept and compared.
 */
export type Read = <T>(rest: string, schema: z.ZodType<T>) => Promise<T>;

/** All that is special to one kind of code host: its paths, its answers, the names of its permissions. */
export interface Dialect {
  /** What every request says. */
  readonly headers: Readonly<Record<string, string>>;
  /** The path of the repository under the API's address. */
  repositoryPath(link: PullRequestLink): string;
  /** What that path may be once the repository has moved. */
  readonly movedTo: RegExp;
  /** What any token may be asked about itself; `base` and `rest` together. */
  readonly tokenPath: string;
  /** When the token ends, by the answer; null: the host does not say, or it never does. */
  tokenEndsAtMs(answer: Extract<Answer, { kind: 'read' }>): number | null;
  details(read: Read, number: number): Promise<Details>;
  /** What else there is to read; absent: the details say it. */
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
  /** What it says holds for one commit only. */
  readonly isOfCommit: boolean;
  /** `lacks` takes those of the permissions without which the facts say less. */
  read(
    read: Read,
    pullRequest: { readonly number: number; readonly commit: string },
    lacks: (permission: string) => void,
  ): Promise<PullRequestFacts>;
}
