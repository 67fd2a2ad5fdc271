import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { general, random } from './local-slack.ts';
import { type Caller, callerOf, posted } from './strict-slack/caller.ts';
import { type StrictSlack, startStrictSlack } from './strict-slack.ts';
import { createTestClock, type TestClock } from './test-clock.ts';

let clock: TestClock;
let slack: StrictSlack;
let call: Caller;
let root: string;

beforeEach(async () => {
  clock = createTestClock(Date.now());
  slack = await startStrictSlack({ clock, app: { mode: 'socket' } });
  call = callerOf(slack);
  root = await posted(call, { channel: general, text: 'root' });
});
afterEach(() => slack[Symbol.asyncDispose]());

describe('the session of an agent', () => {
  const setSession = (status: string, more: object = {}) =>
    call('agents.sessions.setStatus', { channel_id: general, thread_ts: root, status, ...more });
  const session = () => slack.control.session(general, root);

  test('is refused to an app that is none', async () => {
    expect((await setSession('processing')).ok).toBe(false);
    expect(session()).toBeNull();
  });

  test('is at work for an hour, and else stays as it is, whatever is posted', async () => {
    slack.control.declareAgent(true);
    expect(await setSession('processing', { title: 'Add a quickstart' })).toMatchObject({ ok: true });
    await posted(call, { channel: general, text: 'here', thread_ts: root });
    await clock.advance(3_599_999);
    expect(session()).toBe('processing');
    await clock.advance(1);
    expect(session()).toBe('active');
    await setSession('suspended');
    await clock.advance(86_400_000);
    expect(session()).toBe('suspended');
  });

  test('has four states, a place, and a short title', async () => {
    slack.control.declareAgent(true);
    expect((await setSession('working')).error).toBe('invalid_arguments');
    expect((await setSession('active', { title: 'x'.repeat(201) })).error).toBe('invalid_arguments');
    expect((await setSession('active', { channel_id: random })).error).toBe('not_in_channel');
    expect((await setSession('active', { thread_ts: '1.000001' })).error).toBe('invalid_thread_ts');
  });
});
