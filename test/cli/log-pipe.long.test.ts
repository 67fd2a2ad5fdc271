import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { above } from '../support/is.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { waitFor } from '../support/wait-for.ts';
import { settings } from './support/settings.ts';
import { startTinySlack } from './support/tiny-slack.ts';

const cli = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url));
const STOPS_WITHIN_MS = 13_000;

/** All that is in the pipe now. */
function readAll(fd: number): string {
  const parts: Buffer[] = [];
  for (;;) {
    const part = Buffer.alloc(65_536);
    try {
      const length = readSync(fd, part);
      if (length === 0) break;
      parts.push(part.subarray(0, length));
    } catch {
      break;
    }
  }
  return Buffer.concat(parts).toString();
}

test('a log pipe that nobody reads stops neither the work nor the stop', { timeout: 180_000 }, async () => {
  await using folder = await createTempDir();
  await using slack = await startTinySlack();
  const pipe = `${folder.path}/log`;
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, constants.O_WRONLY);
  const port = await freePort();
  const child = spawn(process.execPath, [cli, 'start'], {
    env: {
      ...settings,
      SLACK_API_URL: slack.apiUrl,
      DATA_DIR: `${folder.path}/data`,
      PORT: String(port),
    },
    stdio: ['ignore', writer, 'inherit'],
  });
  closeSync(writer);
  const exit = once(child, 'exit');
  try {
    const url = `http://127.0.0.1:${port}`;
    const get = (path: string) => fetch(`${url}${path}`, { signal: AbortSignal.timeout(2_000) });
    const isUp = () =>
      get('/livez').then(
        (answer) => answer.ok,
        () => false,
      );
    await waitFor(isUp, Boolean, { what: 'the start' });
    /** A line in the log, whatever comes of the connection. */
    const refuse = async () => {
      const answer = await fetch(`${url}/slack/events`, { method: 'POST' }).catch(() => null);
      await answer?.text().catch(() => null);
    };
    const dropped = async () => {
      await Promise.all(Array.from({ length: 500 }, refuse));
      const text = await (await get('/metrics')).text();
      return Number(/^docs_agent_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
    };
    await waitFor(dropped, Boolean, { what: 'lines to be dropped' });

    let log = '';
    await waitFor(
      async () => {
        await refuse();
        log += readAll(reader);
        return log;
      },
      (text) => /"event":"log_lines_dropped","lines":[1-9]/.test(text),
      { what: 'the log to say that lines were dropped' },
    );
    // Whole lines, in their order.
    for (const line of log.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('event');
    // Full once more, and nobody reads.
    const before = await dropped();
    await waitFor(dropped, above(before + 1_000), {
      what: 'lines to be dropped',
    });
    const askedMs = performance.now();
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(performance.now() - askedMs).toBeLessThan(STOPS_WITHIN_MS);
  } finally {
    child.kill('SIGKILL');
    closeSync(reader);
  }
});
