import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { StoreError } from '../../src/store/engines/database.ts';
import { connectionErrors } from '../../src/store/engines/postgres-errors.ts';
import { openStore } from '../../src/store/open.ts';

async function failureOf(databaseUrl: string): Promise<StoreError> {
  const error: unknown = await openStore({ databaseUrl }).catch((reason: unknown) => reason);
  if (!(error instanceof StoreError)) throw new Error('a StoreError was expected', { cause: error });
  return error;
}

describe('a Postgres that cannot be reached', () => {
  test.each([
    ['nothing listens', 'postgres://user:h4rd%2Ft0-guess@127.0.0.1:1/docs', 'nothing listens there'],
    ['no such host', 'postgres://user:h4rd%2Ft0-guess@no-such-host.invalid/docs', 'host name'],
    ['no such port', 'postgres://user:h4rd%2Ft0-guess@127.0.0.1:99999/docs', 'Invalid URL'],
    ['no password in the URL', 'postgres://127.0.0.1:1/docs', 'nothing listens there'],
    ['a stray percent sign', 'postgres://user:h4rd%t0-guess@127.0.0.1:1/docs', 'nothing listens there'],
    ['an unescaped @', 'postgres://user:h4rd@t0-guess@127.0.0.1:1/docs', 'nothing listens there'],
    ['an unescaped /', 'postgres://user:h4rd/t0-guess@127.0.0.1/docs', 'write / ? # @ as'],
    ['an unescaped #', 'postgres://user:h4rd#t0-guess@127.0.0.1/docs', 'write / ? # @ as'],
    ['another database', 'mysql://user:h4rd-t0-guess@127.0.0.1/docs', 'must start with postgres://'],
  ])('%s: the error says why and what to do, without the password', async (_, databaseUrl, why) => {
    const error = await failureOf(databaseUrl);
    expect(error.message).toContain(why);
    expect(error.message).toContain('DATABASE_URL');
    expect(inspect(error, { depth: null })).not.toMatch(/h4rd|t0-guess/);
  });

  test('a message of the driver that repeats the password is shown without it', () => {
    const explain = connectionErrors('postgres://user:h4rd%2Ft0-guess@db.example.com/docs');
    const error = explain(new Error('no entry for user:h4rd/t0-guess, user:h4rd%2Ft0-guess'));
    expect(error.message).toContain('db.example.com cannot be reached: no entry for user:***, user:***.');
  });
});
