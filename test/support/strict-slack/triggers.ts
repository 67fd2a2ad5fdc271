import type { Clock } from '../../../src/runtime/clock.ts';
import { ApiError } from './api-error.ts';
import { newId } from './ids.ts';

const LIFE_MS = 3_000;

/** What a request lets the bot do once, soon: to open a view for the person who made it. */
export interface Trigger {
  readonly userId: string;
  /** Where it was made; null in a view. */
  readonly channelId: string | null;
}

export class Triggers {
  readonly #clock: Clock;
  readonly #known = new Map<string, Trigger & { readonly untilMs: number; isExchanged: boolean }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  create(trigger: Trigger): string {
    const triggerId = `${this.#clock.now()}.${this.#known.size + 1}.${newId('').toLowerCase()}`;
    this.#known.set(triggerId, { ...trigger, untilMs: this.#clock.now() + LIFE_MS, isExchanged: false });
    return triggerId;
  }

  /** Throws ApiError: `invalid_trigger_id`, `exchanged_trigger_id`, `expired_trigger_id`. */
  exchange(triggerId: string): Trigger {
    const trigger = this.#known.get(triggerId);
    if (trigger === undefined) throw new ApiError('invalid_trigger_id');
    if (trigger.isExchanged) throw new ApiError('exchanged_trigger_id');
    if (this.#clock.now() >= trigger.untilMs) throw new ApiError('expired_trigger_id');
    trigger.isExchanged = true;
    return trigger;
  }
}
