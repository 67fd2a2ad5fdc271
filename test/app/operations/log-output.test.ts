import { once } from 'node:events';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { LogOutput } from '../../../src/app/operations/logger.ts';

test('a reader that has gone ends the log, not the program', async () => {
  const stream = new Writable({ write: (_text, _encoding, done) => done(new Error('EPIPE')) });
  const output = new LogOutput(stream);
  const gone = once(stream, 'error');
  output.write('{"event":"one"}\n');
  await gone;
  output.write('{"event":"two"}\n');
  await output.flush();
  expect(output.dropped).toBe(1);
});
