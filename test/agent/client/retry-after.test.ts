import { describe, expect, test } from 'vitest';
import { parseRetryAfterMs } from '../../../src/engine/runtime/exchange.ts';
import { fc } from '../../support/properties.ts';
import { failureOf, openClient, serveHttp } from '../support.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const now = 'Sun, 06 Nov 1994 08:49:37 GMT';
const nowMs = Date.parse(now);

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['120', 120_000],
    ['1.5', 1_500],
    [' 7 ', 7_000],
    ['999999999999', DAY_MS],
    ['Sun, 06 Nov 1994 08:50:07 GMT', 30_000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
    ['Fri, 31 Dec 2999 00:00:00 GMT', DAY_MS],
    ['', null],
    ['soon', null],
    ['-1', null],
    ['in 5 minutes', null],
    ['Sun, 99 Nov 1994 08:49:37 GMT', null],
    [undefined, null],
  ])('%j is a wait of %j ms', (header, waitMs) => {
    expect(parseRetryAfterMs(header, undefined, nowMs)).toBe(waitMs);
  });

  test('a date counts from the date of the answer, should our clock be wrong', () => {
    const later = 'Sun, 06 Nov 1994 08:50:07 GMT';
    expect(parseRetryAfterMs(later, now, nowMs + DAY_MS)).toBe(30_000);
    expect(parseRetryAfterMs(later, 'yesterday', nowMs)).toBe(30_000);
  });

  test('is a wait between nothing and a day, whatever it says', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.nat().map(String), fc.double().map(String)), (header) => {
        const waitMs = parseRetryAfterMs(header, now, nowMs);
        expect(waitMs === null || (waitMs >= 0 && waitMs <= DAY_MS)).toBe(true);
      }),
    );
  });

  test('is read from the answer', async () => {
    await using server = await serveHttp((_, response) => {
      response.writeHead(429, { date: now, 'retry-after': 'Sun, 06 Nov 1994 08:49:47 GMT' });
      response.end();
    });
    await using client = openClient(server.baseUrl);
    expect(await failureOf(client.getJob('p', 'x'))).toMatchObject({ retryAfterMs: 10_000 });
  });
});
