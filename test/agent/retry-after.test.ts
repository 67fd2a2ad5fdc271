import { describe, expect, test } from 'vitest';
import { parseRetryAfterMs } from '../../src/runtime/exchange.ts';
import { failureOf, openClient, serveHttp } from './support.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;
const LONGEST_MS = HOUR_MS;
const now = 'Sun, 06 Nov 1994 08:49:37 GMT';
const nowMs = Date.parse(now);

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['120', 120_000],
    ['1.5', 1_500],
    [' 7 ', 7_000],
    ['60000', LONGEST_MS],
    ['999999999999', LONGEST_MS],
    ['9'.repeat(60), LONGEST_MS],
    ['9'.repeat(400), null],
    ['Sun, 06 Nov 1994 08:50:07 GMT', 30_000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
    ['Fri, 31 Dec 2999 00:00:00 GMT', LONGEST_MS],
    ['', null],
    ['soon', null],
    ['-1', null],
    ['in 5 minutes', null],
    ['1e3', null],
    ['0x10', null],
    ['1,5', null],
    ['30, 60', null],
    ['2026-11-26T00:00:00Z', null],
    ['Sun, 99 Nov 1994 08:49:37 GMT', null],
    [undefined, null],
  ])('%j is a wait of %j ms', (header, waitMs) => {
    expect(parseRetryAfterMs(header, undefined, nowMs, LONGEST_MS)).toBe(waitMs);
  });

  test('a date counts from the date of the answer, should our clock be wrong', () => {
    const later = 'Sun, 06 Nov 1994 08:50:07 GMT';
    expect(parseRetryAfterMs(later, now, nowMs + DAY_MS, LONGEST_MS)).toBe(30_000);
    expect(parseRetryAfterMs(later, 'yesterday', nowMs, LONGEST_MS)).toBe(30_000);
  });

  test.each(['60000', '1790000000', '1790000000000', 'Fri, 31 Dec 2999 00:00:00 GMT'])(
    'a mistaken %j holds up reads for five minutes, and calls for an hour',
    async (header) => {
      await using server = await serveHttp((_, response) => {
        response.writeHead(429, { 'retry-after': header });
        response.end();
      });
      await using client = openClient(server.baseUrl);
      expect(await failureOf(client.getJob('p', 'x'))).toMatchObject({ retryAfterMs: HOUR_MS / 12 });
      expect(await failureOf(client.createJob('p', 'a'))).toMatchObject({ retryAfterMs: HOUR_MS });
      expect(await failureOf(client.sendMessage('p', 'x', 'a'))).toMatchObject({ retryAfterMs: HOUR_MS });
    },
  );

  test('is read from the answer', async () => {
    await using server = await serveHttp((_, response) => {
      response.writeHead(429, { date: now, 'retry-after': 'Sun, 06 Nov 1994 08:49:47 GMT' });
      response.end();
    });
    await using client = openClient(server.baseUrl);
    expect(await failureOf(client.getJob('p', 'x'))).toMatchObject({ retryAfterMs: 10_000 });
  });
});
