import type { KeyObject } from 'node:crypto';
import type { Authorization } from './host-client.ts';

/** As whom a code host is asked. */
export type CredentialSettings =
  | { readonly kind: 'token'; readonly token: string }
  /** A GitHub App: each installation has its own tokens, valid for an hour. */
  | { readonly kind: 'app'; readonly appId: string; readonly privateKey: KeyObject };

export interface Credentials {
  /** For requests about a repository, by its path. Throws only UnreadableError. */
  authorize(repositoryPath: string, signal: AbortSignal): Promise<Authorization>;
  /** The host no longer accepts what `authorize` returned. */
  rejected(repositoryPath: string): void;
}

export function tokenCredentials(token: string): Credentials {
  const authorization = { headers: bearer(token), account: 'token' };
  return { authorize: async () => authorization, rejected: () => {} };
}

export function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}
