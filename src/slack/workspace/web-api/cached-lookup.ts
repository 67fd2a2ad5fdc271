import type { Clock } from '../../../engine/runtime/clock.ts';

/** Slack waits 3 seconds for an answer to a request, and storing needs most of that. */
const WAIT_MS = 300;

interface Asking<T> {
  readonly answer: Promise<T>;
  readonly sinceMs: number;
}

interface Known<T> {
  readonly value: T;
  readonly freshUntilMs: number;
}

interface Limits {
  readonly freshMs: number;
  readonly max: number;
  /** Default: yes. */
  readonly mayBeStale?: boolean;
}

/** Caches what Slack says. If Slack fails or is slow later, its last answer still counts. */
export class CachedLookup<T> {
  private readonly lookUp: (id: string) => Promise<T>;
  private readonly clock: Clock;
  private readonly limits: Limits;
  private readonly known = new Map<string, Known<T>>();
  private readonly underWay = new Map<string, Asking<T>>();

  constructor(lookUp: (id: string) => Promise<T>, clock: Clock, limits: Limits) {
    this.lookUp = lookUp;
    this.clock = clock;
    this.limits = limits;
  }

  /** Fails as the look-up does, if nothing is known. */
  async get(id: string): Promise<T> {
    const known = this.known.get(id);
    if (known !== undefined && this.isFresh(known)) return known.value;
    const { answer, sinceMs } = this.ask(id);
    if (known === undefined || this.limits.mayBeStale === false) return answer;
    // A later answer serves the next caller. A request that asks several times waits once.
    const orKnown = answer.catch(() => known.value);
    const leftMs = Math.min(WAIT_MS, sinceMs + WAIT_MS - this.clock.now());
    return leftMs <= 0 ? known.value : this.clock.timeout(leftMs, orKnown, known.value);
  }

  /** Whether `get` has an answer without asking. */
  knows(id: string): boolean {
    const known = this.known.get(id);
    return known !== undefined && this.isFresh(known);
  }

  /** An end too far ahead means that the clock was set back. */
  private isFresh({ freshUntilMs }: Known<T>): boolean {
    const leftMs = freshUntilMs - this.clock.now();
    return leftMs > 0 && leftMs <= this.limits.freshMs;
  }

  /** An answer in flight may be older. */
  learn(id: string, value: T): void {
    this.underWay.delete(id);
    this.remember(id, value);
  }

  /** What is known, or being asked for, is out of date. */
  forget(id: string): void {
    this.known.delete(id);
    this.underWay.delete(id);
  }

  /** Asks once for all concurrent callers. */
  private ask(id: string): Asking<T> {
    const asked = this.underWay.get(id);
    if (asked !== undefined) return asked;
    const isLatest = () => this.underWay.get(id) === asking;
    const answer = this.lookUp(id)
      .then((value) => {
        if (isLatest()) this.remember(id, value);
        return value;
      })
      .finally(() => {
        if (isLatest()) this.underWay.delete(id);
      });
    const asking = { answer, sinceMs: this.clock.now() };
    this.underWay.set(id, asking);
    return asking;
  }

  private remember(id: string, value: T): void {
    this.known.delete(id);
    const [oldest] = this.known.keys();
    if (this.known.size >= this.limits.max && oldest !== undefined) this.known.delete(oldest);
    this.known.set(id, { value, freshUntilMs: this.clock.now() + this.limits.freshMs });
  }
}
