import { once } from 'node:events';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { LogOutput } from '../../../src/app/operations/logger.ts';

/** A line of 1,000 bytes. */
const line = (index: number) => `${JSON.stringify({ event: `e${index}`, filling: 'x'.repeat(970) })}\n`;

/** A pipe whose reader takes something only when it is told to. */
function pipe() {
  const taken: string[] = [];
  let take = () => {};
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      take = () => {
        if (text !== '') taken.push(text);
        done();
      };
    },
  });
  const takeAll = async () => {
    while (stream.writableLength > 0) {
      take();
      await Promise.resolve();
    }
  };
  return { stream, taken, takeAll, take: () => take() };
}

test('lines wait for a reader up to a limit, further ones are counted, and the next one says so', async () => {
  const { stream, taken, takeAll } = pipe();
  const output = new LogOutput(stream);
  for (let index = 0; index < 2_000; index += 1) output.write(line(index));
  expect(output.dropped).toBeGreaterThan(900);
  await takeAll();
  expect(taken).toEqual(Array.from({ length: 2_000 - output.dropped }, (_, index) => line(index)));
  output.write(line(2_000));
  await takeAll();
  const [told = '', last] = taken.slice(-2);
  expect(JSON.parse(told)).toMatchObject({ event: 'log_lines_dropped', lines: output.dropped });
  expect(last).toBe(line(2_000));
});

test('the last lines are waited for', async () => {
  const { stream, taken, take } = pipe();
  const output = new LogOutput(stream);
  await output.flush();
  output.write(line(1));
  const flushed = output.flush();
  take();
  await Promise.resolve();
  take();
  await flushed;
  expect(taken).toEqual([line(1)]);
});

test('a reader that has gone ends the log, not the program', async () => {
  const stream = new Writable({ write: (_text, _encoding, done) => done(new Error('EPIPE')) });
  const output = new LogOutput(stream);
  const gone = once(stream, 'error');
  output.write(line(1));
  await gone;
  output.write(line(2));
  await output.flush();
  expect(output.dropped).toBe(1);
});
