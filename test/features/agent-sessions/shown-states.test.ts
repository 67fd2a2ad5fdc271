import { expect, test } from 'vitest';
import { type Shown, ShownStates } from '../../../src/features/agent-sessions/index.ts';

const MINUTE_MS = 60_000;
const session = (state: Shown['state'], atMs: number): Shown => ({ state, atMs });

test('a session at work is renewed before Slack ends it', () => {
  const states = new ShownStates();
  states.take('a', 'T1', session('processing', 0), false);
  expect(states.take('a', 'T1', session('processing', 45 * MINUTE_MS - 1), true)).toBe(false);
  expect(states.take('a', 'T1', session('processing', 45 * MINUTE_MS), true)).toBe(true);
});

test('a change is due at once, and what rests is said once', () => {
  const states = new ShownStates();
  states.take('a', 'T1', session('processing', 0), false);
  expect(states.take('a', 'T1', session('active', 1), true)).toBe(true);
  expect(states.take('a', 'T1', session('active', 50 * MINUTE_MS), false)).toBe(false);
});

test('a look at a job that had ended before this process began says nothing; a change of it does', () => {
  const states = new ShownStates();
  expect(states.take('a', 'T1', session('active', 0), true)).toBe(false);
  expect(states.take('a', 'T1', session('active', 0), false)).toBe(true);
  expect(states.take('b', 'T1', session('processing', 0), true)).toBe(true);
});

test('what may not have arrived is said again after a minute; what was refused, as soon as it may be', () => {
  const states = new ShownStates();
  states.take('a', 'T1', session('active', 0), false);
  states.noteFailure('a', false);
  expect(states.take('a', 'T1', session('active', MINUTE_MS - 1), true)).toBe(false);
  expect(states.take('a', 'T1', session('active', MINUTE_MS), true)).toBe(true);
  states.take('b', 'T1', session('processing', 0), false);
  states.noteFailure('b', true);
  expect(states.take('b', 'T1', session('processing', 1), true)).toBe(true);
});

test('in a workspace with many jobs, renewals leave room for changes, each minute anew', () => {
  const states = new ShownStates();
  const jobs = Array.from({ length: 60 }, (_none, index) => `job-${index}`);
  const taken = (shown: Shown) => jobs.filter((job) => states.take(job, 'T1', shown, true)).length;
  expect(taken(session('processing', 0))).toBe(50);
  const later = 45 * MINUTE_MS;
  expect(taken(session('processing', later))).toBe(50);
  expect(states.take('other', 'T2', session('processing', later), true)).toBe(true);
  expect(taken(session('processing', 2 * later))).toBe(40);
  expect(taken(session('active', 2 * later))).toBe(10);
});

test('a clock that is set back makes nobody wait for it', () => {
  const states = new ShownStates();
  states.take('a', 'T1', session('processing', 1_000_000), false);
  expect(states.take('a', 'T1', session('processing', 0), true)).toBe(true);
});
