import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { post, sendLoad } from '../support/load.ts';
import type { RunningProcess } from '../support/processes.ts';
import { commands, reply } from '../support/slack-traffic.ts';
import type { Lives, Thread } from './lives.ts';

const SENDERS = 4;
const LOOK_EVERY_MS = 100;
const LIMIT_MS = 120_000;

export interface Pace {
  readonly commandEveryMs: number;
  /** From a card until somebody replies in its thread. */
  readonly replyAfterMs: number;
}

/** Has jobs live their whole lives at one process. */
export class Driver {
  private readonly lives: Lives;
  private readonly port: number;
  private readonly pace: Pace;
  private readonly nextCommand = commands();
  private started = 0;

  constructor(lives: Lives, { port }: RunningProcess, pace: Pace) {
    this.lives = lives;
    this.port = port;
    this.pace = pace;
  }

  /** Starts so many more jobs, and waits until all have finished. Throws if one does not. */
  async live(jobs: number): Promise<void> {
    const pool = new Pool(`http://127.0.0.1:${this.port}`, { connections: SENDERS });
    const replies: Promise<void>[] = [];
    this.lives.onThread = (thread) => {
      replies.push(this.reply(pool, thread));
    };
    const { port, nextCommand: next } = this;
    const everyMs = this.pace.commandEveryMs * SENDERS;
    await sendLoad({ port, next, atOnce: SENDERS, everyMs, until: { count: jobs } });
    this.started += jobs;
    await this.untilFinished();
    await Promise.all(replies);
    await pool.close();
  }

  private async reply(pool: Pool, thread: Thread): Promise<void> {
    await pause(this.pace.replyAfterMs);
    const { number, threadTs } = thread;
    // Later than the card, and earlier than the next card.
    const messageTs = `${threadTs.slice(0, -1)}5`;
    this.lives.replied(thread, messageTs);
    await post(pool, reply(number, { ...thread, messageTs }));
  }

  private async untilFinished(): Promise<void> {
    const endsAtMs = performance.now() + LIMIT_MS;
    while (this.lives.finished < this.started) {
      if (performance.now() > endsAtMs) {
        const { finished } = this.lives;
        const some = this.lives.missing().slice(0, 5).join('; ');
        throw new Error(`only ${finished} of ${this.started} jobs have finished; missing: ${some}`);
      }
      await pause(LOOK_EVERY_MS);
    }
  }
}
