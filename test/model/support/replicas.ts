import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseConfig } from '../../../src/app/config/config.ts';
import type { Environment } from '../../../src/app/config/values.ts';
import { createLogger } from '../../../src/app/operations/logger.ts';
import { createService, type Service } from '../../../src/app/service.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import { noFiles } from '../../support/settings.ts';
import { openPostgresQueue, openSqliteQueue, type Plan, type Queue } from './queue.ts';

const NOTHING: Plan = { due: 0, slowedReads: 0, readsAgainMs: 0, inFlight: 0, nextDueMs: null };
/** Its database, in the `DATA_DIR`. */
const FILE = 'docs-agent.db';

/** The program, once for each of the given ports, all on one store. */
export class Replicas implements AsyncDisposable {
  /** What they logged. */
  readonly log: string[] = [];
  readonly #settings: readonly Environment[];
  readonly #clock: Clock;
  /** Called while a replica takes its time to stop: what it waits for may have to be helped along. */
  readonly #whileItStops: () => void;
  readonly #running = new Map<number, Service>();
  #queue: Queue | null = null;

  constructor(settings: readonly Environment[], clock: Clock, whileItStops: () => void) {
    this.#settings = settings;
    this.#clock = clock;
    this.#whileItStops = whileItStops;
  }

  get count(): number {
    return this.#settings.length;
  }

  /** Starts those that do not run. */
  async start(): Promise<void> {
    const log = createLogger({
      level: 'info',
      destination: { write: (line) => void this.log.push(line) },
    });
    for (const [index, env] of this.#settings.entries()) {
      if (this.#running.has(index)) continue;
      const service = createService(parseConfig(env, noFiles), { clock: this.#clock, log });
      await service.start();
      this.#running.set(index, service);
      this.#queue ??=
        env.DATABASE_URL === undefined
          ? openSqliteQueue(join(env.DATA_DIR ?? '', FILE))
          : await openPostgresQueue(env.DATABASE_URL);
    }
  }

  async stop(index: number): Promise<void> {
    const service = this.#running.get(index);
    if (service === undefined) return;
    this.#running.delete(index);
    let isStopped = false;
    const stopped = service.stop().finally(() => {
      isStopped = true;
    });
    while (!isStopped) {
      await pause(1);
      if (!isStopped) this.#whileItStops();
    }
    await stopped;
  }

  /** What they have planned; nothing while none of them runs. */
  async look(): Promise<Plan> {
    if (this.#queue === null || this.#running.size === 0) return NOTHING;
    return this.#queue.look(this.#clock.now());
  }

  async leftOver(): Promise<string[]> {
    return (await this.#queue?.leftOver()) ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const index of this.#settings.keys()) await this.stop(index);
    await this.#queue?.[Symbol.asyncDispose]();
  }
}
