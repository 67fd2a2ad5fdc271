import { expect, test } from 'vitest';
import { stepErrorText } from '../../../src/features/workflow-step/view.ts';
import type { StepProblem } from '../../../src/jobs/steps.ts';
import { NOT_SEEN } from '../../../src/slack/protocol/error-codes.ts';

const thread = 'https://acme.slack.com/archives/C1/p5';
const names = new Map([['U1', 'Alice']]);
const text = (problem: StepProblem) => stepErrorText(problem, thread, names);
const notPosted = (reason: string) => text({ kind: 'not_posted', reason });

test('a workflow reads in human words why its step has no card, and never a code of ours (T1)', () => {
  expect(notPosted('not_in_channel')).toBe(
    "docs-agent isn't in that channel. Invite it with /invite @docs-agent.",
  );
  expect(notPosted('is_archived')).toBe("docs-agent couldn't post in that channel: it is archived.");
  expect(notPosted('restricted_action')).toBe(
    "docs-agent couldn't post in that channel: posting isn't allowed.",
  );
  expect(notPosted(NOT_SEEN)).toBe(
    "Slack didn't confirm whether the card was posted in that channel. If it's there, ignore it.",
  );
  expect(notPosted('msg_too_long')).toBe(
    "docs-agent couldn't post in that channel: Slack says msg_too_long.",
  );
});

test('a workflow reads who dismissed its draft, and where to look if nobody knows (T1)', () => {
  expect(text({ kind: 'dropped', why: 'dismissed', byUserId: 'U1' })).toBe('Dismissed by Alice.');
  expect(text({ kind: 'dropped', why: 'expired', byUserId: null })).toBe('The draft expired after 7 days.');
  expect(text({ kind: 'unclear' })).toBe(`Nobody could confirm the start. See ${thread}.`);
  expect(text({ kind: 'failed' })).toBe('The job failed; the agent gave no reason.');
  expect(text({ kind: 'failed', reason: 'No <tests>\npass' })).toBe(
    'The job failed. The agent says: No <tests> pass',
  );
  expect(text({ kind: 'stopped' })).toBe('Somebody stopped the job before there was a pull request.');
});
