import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

const EVERY_MS = 10;

/**
 * Asks a process of this machine again and again for something that costs nothing, on a connection of its own: how long
 * the answers take shows how long everything else waits.
 */
export function otherAnswers(port: number): { readonly end: () => Promise<readonly number[]> } {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 });
  const latenciesMs: number[] = [];
  let isOver = false;
  const ask = async () => {
    while (!isOver) {
      const askedAtMs = performance.now();
      // Bolt answers that there is no such thing.
      const { body } = await pool.request({ method: 'GET', path: '/livez' });
      await body.dump();
      latenciesMs.push(performance.now() - askedAtMs);
      await pause(EVERY_MS);
    }
    await pool.close();
    return latenciesMs;
  };
  const asked = ask();
  return {
    end: () => {
      isOver = true;
      return asked;
    },
  };
}
