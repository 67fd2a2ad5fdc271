/** Something that Slack delivers to the bot. */
export interface SlackRequest {
  /** The same at each delivery; the `envelope_id` of Socket Mode. */
  readonly id: string;
  /** Only events are delivered again. */
  readonly kind: 'event' | 'command' | 'action';
  /** What Slack sends: an `event_callback`, a command's fields, or `block_actions`. */
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface Delivery extends SlackRequest {
  /** 0 at first, up to 3. */
  readonly attempt: number;
  readonly retryReason: RetryReason | null;
}

export type RetryReason = 'http_timeout' | 'connection_failed' | 'http_error';

/** What became of one copy of a delivery. */
export type Answer =
  | {
      readonly acknowledged: true;
      readonly payload: unknown;
      /** One of several programs with the same tokens, by the name in its `apiUrlOf`; null: not known. */
      readonly program: string | null;
    }
  | { readonly acknowledged: false; readonly reason: RetryReason };

/** What the person who acted learns: without an acknowledgement, the bot may have taken it all the same. */
export interface Acknowledgement {
  readonly acknowledged: boolean;
  /** What the bot sent with it, or null. */
  readonly payload: unknown;
}

/** Carries one copy of a delivery to the bot. */
export interface Transport {
  send(delivery: Delivery): Promise<Answer>;
}

/** One copy of a delivery, as it went out. */
export interface DeliveryRecord extends Delivery {
  readonly sentAtMs: number;
  /** Null: not acknowledged, or not yet. */
  readonly acknowledgedAtMs: number | null;
  /** One of several programs with the same tokens, by the name in its `apiUrlOf`. */
  readonly acknowledgedBy: string | null;
  /** What the bot sent with its acknowledgement. */
  readonly answer: unknown;
}
