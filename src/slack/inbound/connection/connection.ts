import type { Logger as BoltLogger, Receiver } from '@slack/bolt';
import type { BodyReader } from '../../../engine/runtime/body-reader.ts';
import type { Clock } from '../../../engine/runtime/clock.ts';
import type { Route } from '../../../engine/runtime/http-server.ts';
import type { Logger } from '../../../engine/runtime/logger.ts';
import type { Store } from '../../../store/store.ts';
import type { RequestsOptions } from './acknowledge-after-commit.ts';

/** The way in for Slack's requests, and the port for other routes. */
export interface Connection {
  readonly receiver: Receiver;
  /** Connects to Slack or listens for it. Resolves to the port that is served, or null if none is. */
  start(address: { readonly port: number; readonly host: string }): Promise<number | null>;
  /** Ends when no request is in flight any more. */
  stop(): Promise<void>;
  requestsInFlight(): number;
  /** What is wrong with the connection now, or null. */
  problem(): string | null;
  /** What needs attention, though requests arrive. */
  warnings(): readonly string[];
  /**
   * Whether another program, which has the same tokens and another store, gets a share of the requests. Finds it out
   * again, unless that was done after this time; null: says what is known.
   */
  isSharedSince(sinceMs: number | null): Promise<boolean>;
}

export interface ConnectionOptions extends RequestsOptions {
  /** Null is Slack's own. */
  readonly apiUrl: string | null;
  readonly logger: BoltLogger;
  readonly log: Logger;
  readonly clock: Clock;
  readonly bodies: BodyReader;
  /** Where replicas find each other. */
  readonly store: Store;
  /** Called at the start and after each reconnect: requests may have been missed. */
  readonly onConnected: () => void;
  /** Served at the port, in both modes. Without any, Socket Mode opens no port. */
  readonly routes: readonly Route[];
}
