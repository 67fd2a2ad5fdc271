import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, general } from './local-slack.ts';
import { callerOf, posted } from './strict-slack/caller.ts';
import type { StrictFault } from './strict-slack/web-api.ts';
import { type StrictSlack, startStrictSlack } from './strict-slack.ts';
import { createTestClock, type TestClock } from './test-clock.ts';

const hello = { channel: general, text: 'hello' };

let clock: TestClock;
let slack: StrictSlack;

beforeEach(async () => {
  clock = createTestClock(Date.now());
  slack = await startStrictSlack({ clock, app: { mode: 'socket' }, limits: true });
});
afterEach(() => slack[Symbol.asyncDispose]());

/** What the bot gets for a post that meets the fault, and how many messages there are then. */
async function postWith(fault: StrictFault): Promise<readonly [unknown, number]> {
  slack.onCall(() => fault);
  const answer = await callerOf(slack)('chat.postMessage', hello).catch(() => 'broken');
  return [answer, (await slack.control.messages(general)).length];
}

describe('a call that goes wrong', () => {
  test.each<[StrictFault, unknown]>([
    ['reset_before', 'broken'],
    [{ status: 503 }, { status: 503 }],
    [{ error: 'fatal_error' }, { status: 200, ok: false, error: 'fatal_error' }],
  ])('before it happened: %j', async (fault, answer) => {
    expect(await postWith(fault)).toEqual([answer, 0]);
  });

  test.each<[StrictFault, unknown]>([
    ['reset_after', 'broken'],
    ['half_body', 'broken'],
    ['error_after', { status: 500 }],
    [{ errorAfter: 'internal_error' }, { status: 200, ok: false, error: 'internal_error' }],
  ])('after it happened: %j', async (fault, answer) => {
    expect(await postWith(fault)).toEqual([answer, 1]);
  });

  test('is kept among the calls, and is not in flight while it hangs', async () => {
    slack.onCall(({ method }) => (method === 'auth.test' ? 'hang' : null));
    const hanging = callerOf(slack)('auth.test').catch(() => 'broken');
    await expect.poll(() => slack.calls('auth.test').length, { message: 'the call' }).toBe(1);
    expect(slack.inFlight()).toBe(0);
    await callerOf(slack)('chat.postMessage', hello);
    expect(slack.calls().map(({ method, args }) => [method, args.text])).toEqual([
      ['auth.test', undefined],
      ['chat.postMessage', 'hello'],
    ]);
    await slack[Symbol.asyncDispose]();
    expect(await hanging).toBe('broken');
    slack = await startStrictSlack({ clock, app: { mode: 'socket' } });
  });
});

describe('the rate limits', () => {
  async function tooMany(method: string, args: object, allowed: number): Promise<number> {
    const call = callerOf(slack);
    for (let count = 0; count < allowed; count += 1) expect((await call(method, { ...args })).ok).toBe(true);
    const response = await fetch(slack.apiUrl + method, {
      method: 'POST',
      headers: { authorization: `Bearer ${slack.botToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
    expect(response.status).toBe(429);
    expect(await response.json()).toEqual({ ok: false, error: 'ratelimited' });
    return Number(response.headers.get('retry-after'));
  }

  test('let a few posts through to a channel at once, then one a second, and others to other channels', async () => {
    expect(await tooMany('chat.postMessage', hello, 5)).toBe(1);
    expect((await callerOf(slack)('chat.postMessage', { ...hello, channel: alice })).ok).toBe(true);
    await clock.advance(1_000);
    expect(await tooMany('chat.postMessage', hello, 1)).toBe(1);
  });

  test('let fifty threads be read in a minute, and not hold up other methods', async () => {
    const ts = await posted(callerOf(slack), hello);
    const args = { channel: general, ts };
    const waitSeconds = await tooMany('conversations.replies', args, 50);
    expect(waitSeconds).toBe(2);
    expect((await callerOf(slack)('conversations.history', { channel: general })).ok).toBe(true);
    await clock.advance(waitSeconds * 1_000);
    await tooMany('conversations.replies', args, 1);
  });
});

describe('an address to respond to', () => {
  async function newAddress(): Promise<string> {
    await slack.control.command({ channel: general, user: alice, text: 'help' });
    return String(slack.deliveries().at(-1)?.payload.response_url);
  }
  const respond = async (url: string, body: object) =>
    (
      await fetch(url, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      })
    ).status;

  test('shows the answer to the person who typed, five times in half an hour', async () => {
    const url = await newAddress();
    for (let count = 0; count < 5; count += 1) expect(await respond(url, { text: 'psst' })).toBe(200);
    expect(await respond(url, { text: 'psst' })).toBe(404);
    expect(await slack.control.messages(general)).toHaveLength(5);
    expect(await slack.control.messages(general)).toContainEqual(
      expect.objectContaining({ text: 'psst', ephemeral_to: alice }),
    );
    const late = await newAddress();
    await clock.advance(30 * 60_000);
    expect(await respond(late, { text: 'psst' })).toBe(404);
    expect(await respond(`${late}x`, { text: 'psst' })).toBe(404);
  });

  test('can fail as any call, and refuses what Slack cannot show', async () => {
    const url = await newAddress();
    expect(await respond(url, { text: 'psst', blocks: [{ type: 'paragraph' }] })).toBe(404);
    slack.onCall(({ method }) => (method === 'response_url' ? { status: 500 } : null));
    expect(await respond(url, { text: 'psst' })).toBe(500);
    expect(await slack.control.messages(general)).toEqual([]);
  });
});
