import type { ChildEnv } from '../../../support/child-program.ts';
import { notices } from '../outside.ts';
import type { Expected, ExpectedThread } from '../problems.ts';

export const PROMPT = 'Add a quickstart';
export const PR = 'https://github.com/acme/docs/pull';

export const settings: ChildEnv = {
  NOTICE_CHANNELS: notices,
  AGENT_READS_PER_MINUTE: '100000',
  // Two replies in a row belong together, also on a busy machine.
  FOLLOW_UP_WINDOW: '400ms',
  SETTLE_WINDOW: '1s',
};

export const nothing: Expected = {
  threads: [],
  told: [],
  hints: [],
  posted: [],
};

/** Of a thread whatever is not said is usual. */
export function oneThread(thread: Partial<ExpectedThread>, more: Partial<Expected> = {}): Expected {
  return { ...nothing, threads: [threadOf(thread)], ...more };
}

export function threadOf(thread: Partial<ExpectedThread>): ExpectedThread {
  const prompt = thread.prompt ?? PROMPT;
  const usual = { prompt, rootTs: null, posts: [], replies: [] };
  return { ...usual, end: '✅', ...thread };
}
