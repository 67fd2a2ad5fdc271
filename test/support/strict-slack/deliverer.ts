import type { Clock } from '../../../src/runtime/clock.ts';
import type {
  Acknowledgement,
  Answer,
  Delivery,
  DeliveryRecord,
  RetryReason,
  SlackRequest,
  Transport,
} from './delivery.ts';

/** How long Slack waits for an acknowledgement. */
const ACK_TIMEOUT_MS = 3_000;
/** After each failed attempt at an event, the next is made so much later. */
const RETRY_AFTER_MS = [0, 60_000, 300_000];

/** Delivers requests, and events again until they are acknowledged or given up. */
export class Deliverer {
  /** How many copies of a delivery go out. */
  copies: (delivery: Delivery) => number = () => 1;
  readonly #clock: Clock;
  readonly #transport: Transport;
  readonly #records: { -readonly [K in keyof DeliveryRecord]: DeliveryRecord[K] }[] = [];
  readonly #acknowledged = new Set<string>();
  readonly #retries = new Set<() => void>();
  #inFlight = 0;

  constructor(clock: Clock, transport: Transport) {
    this.#clock = clock;
    this.#transport = transport;
  }

  get records(): readonly DeliveryRecord[] {
    return this.#records;
  }

  /** Copies that may still be answered. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Resolves to the outcome of the first attempt. */
  deliver(request: SlackRequest): Promise<Acknowledgement> {
    return this.#attempt({ ...request, attempt: 0, retryReason: null });
  }

  /** Delivers nothing again. */
  close(): void {
    for (const cancel of this.#retries) cancel();
    this.#retries.clear();
  }

  async #attempt(delivery: Delivery): Promise<Acknowledgement> {
    const count = this.copies(delivery);
    const answer = await firstAcknowledged(Array.from({ length: count }, () => this.#send(delivery)));
    if (answer.acknowledged) return { acknowledged: true, payload: answer.payload };
    if (delivery.kind === 'event') this.#retryLater(delivery, answer.reason);
    return { acknowledged: false, payload: null };
  }

  #retryLater(delivery: Delivery, retryReason: RetryReason): void {
    const waitMs = RETRY_AFTER_MS[delivery.attempt];
    if (waitMs === undefined) return;
    const cancel = this.#clock.at(this.#clock.now() + waitMs, () => {
      this.#retries.delete(cancel);
      // The acknowledgement may have arrived late.
      if (this.#acknowledged.has(delivery.id)) return;
      void this.#attempt({ ...delivery, attempt: delivery.attempt + 1, retryReason });
    });
    this.#retries.add(cancel);
  }

  async #send(delivery: Delivery): Promise<Answer> {
    const sentAtMs = this.#clock.now();
    const record = {
      ...delivery,
      sentAtMs,
      acknowledgedAtMs: null as number | null,
      acknowledgedBy: null as string | null,
      answer: null as unknown,
    };
    this.#records.push(record);
    this.#inFlight += 1;
    const sent = this.#transport.send(delivery).then((answer) => {
      if (answer.acknowledged) {
        this.#acknowledged.add(delivery.id);
        record.acknowledgedAtMs = this.#clock.now();
        record.acknowledgedBy = answer.program;
        record.answer = answer.payload;
      }
      return answer;
    });
    try {
      return await this.#inTime(sent, sentAtMs + ACK_TIMEOUT_MS);
    } finally {
      this.#inFlight -= 1;
    }
  }

  async #inTime(sent: Promise<Answer>, untilMs: number): Promise<Answer> {
    const { promise: timedOut, resolve } = Promise.withResolvers<Answer>();
    const cancel = this.#clock.at(untilMs, () => resolve({ acknowledged: false, reason: 'http_timeout' }));
    try {
      return await Promise.race([sent, timedOut]);
    } finally {
      cancel();
    }
  }
}

/** The first answer that acknowledges, at once; else the last failure. */
function firstAcknowledged(answers: readonly Promise<Answer>[]): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const failure: Answer = { acknowledged: false, reason: 'connection_failed' };
  for (const pending of answers) void pending.then((answer) => answer.acknowledged && resolve(answer));
  void Promise.all(answers).then((all) => resolve(all.at(-1) ?? failure));
  return promise;
}
