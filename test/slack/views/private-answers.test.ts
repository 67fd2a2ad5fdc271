import { describe, expect, test } from 'vitest';
import type { Stage } from '../../../src/jobs/job.ts';
import { askedBeforeView } from '../../../src/slack/views/forms/asked-before.ts';
import { helpView } from '../../../src/slack/views/help.ts';
import {
  noJobIdView,
  notStoredView,
  refusalView,
  watchedAlreadyView,
} from '../../../src/slack/views/refusals.ts';
import { delayedView, requesterView } from '../../../src/slack/views/thread/requester.ts';
import { aJob, noNames } from './a-job.ts';

const prompt = 'Document the rate limits &amp; quotas';

describe('a person whose card could not be posted is told', () => {
  test.each(['not_in_channel', 'channel_not_found'])('how to invite the bot (%s)', (reason) => {
    expect(requesterView(reason, aJob({ prompt, cards: 1 }), noNames).text).toBe(
      '⛔ *Not started*. The bot is not in this conversation: type `/invite @docs-agent`, then press ' +
        '*Try again*. Nothing was started. Your prompt was:\n“Document the rate limits &amp; quotas”',
    );
  });

  test('what to use instead of a direct message of two people (S4)', () => {
    const job = aJob({ prompt, cards: 1, channelId: 'D0ALICEBOB' });
    expect(requesterView('channel_not_found', job, noNames).text).toMatchInlineSnapshot(`
      "⛔ *Not started*. I cannot come into a direct message of two people: use a channel, or write to me directly. Nothing was started. Your prompt was:
      “Document the rate limits &amp; quotas”"
    `);
  });

  test.each([
    ['is_archived', 'This channel is archived'],
    ['restricted_action', 'The bot may not post in this channel'],
    ['restricted_action_read_only_channel', 'The bot may not post in this channel'],
    ['weird_<code>', 'Slack did not take the message (weird_&lt;code&gt;)'],
  ])('why: %s', (reason, explanation) => {
    const { text } = requesterView(reason, aJob({ prompt, cards: 1 }), noNames);
    expect(text).toContain(explanation);
    expect(text).toContain('Nothing was started.');
    expect(text).toContain('“Document the rate limits &amp; quotas”');
  });
});

describe('a person whose card waits is told that the request is kept', () => {
  test.each([
    ['missing_scope', '🔧 *Needs an administrator*. Slack does not let the bot post (missing_scope).'],
    ['not_in_channel', '🚀 *Starting*. The bot is not in this conversation, and cannot see'],
  ])('%s', (reason, words) => {
    const { text } = delayedView(reason, prompt, noNames);
    expect(text).toContain(words);
    expect(text).toContain('Your request is kept, and starts when this is mended. Your prompt was:');
  });
});

describe('a person who asks for help', () => {
  test('learns every way to start a job, to steer it, and to see how it is', () => {
    expect(helpView().text).toMatchInlineSnapshot(`
      "📖 *Ask for a documentation change, get the pull request.*
      *Start a job*
      • \`/docs-agent explain the rate limits\` in a channel; \`/docs-agent\` alone opens a form
      • \`@docs-agent …\` in a channel; in a thread of other people you choose which messages go along
      • a direct message to me, *Ask Docs Agent* in the menu of a message, *Start a job* in my Home tab
      • \`project=name\` at the start chooses the project
      *Steer it*
      • every reply in the job's thread is a follow-up; edit or delete it while it waits
      • \`aside …\` keeps a reply out, \`mute\` and \`unmute\` all of them (a mention still gets through)
      • text snippets go along, other files do not
      • the pull request is announced in the thread
      *See what is going on*
      • \`/docs-agent list\` your jobs and this channel's; \`/docs-agent status\` one in full; my Home tab
      • \`/docs-agent watch job_123\` a thread for a job that was started elsewhere, in another project \`project=name watch job_123\`
      • \`/docs-agent settings\` this channel's project, notice channels and follow-ups, for administrators
      \`/docs-agent -- help\` makes a prompt of a word that is a command"
    `);
  });
});

describe('a request that is refused', () => {
  test('says why, and that nothing was started', () => {
    expect(refusalView({ kind: 'empty' }).text).toMatchInlineSnapshot(
      `"✏️ *No prompt.* Say what to change: \`/docs-agent explain the rate limits\`. Nothing was started."`,
    );
    expect(refusalView({ kind: 'too_long', length: 20_417, maxLength: 20_000 }).text).toMatchInlineSnapshot(
      `"✂️ *The prompt is too long.* It has 20,417 characters, the limit is 20,000. Nothing was started."`,
    );
    const together = { kind: 'too_long_together', length: 20_417, maxLength: 20_000 } as const;
    expect(refusalView(together).text).toMatchInlineSnapshot(
      `"✂️ *Too long with the messages that go along.* It has 20,417 characters, the limit is 20,000. Untick some. Nothing was started."`,
    );
    const names = ['docs', 'handbook'];
    expect(refusalView({ kind: 'unknown_project', name: 'dosc', names }).text).toMatchInlineSnapshot(
      `"🗂️ *There is no project dosc.* The projects are: docs, handbook. To use it as a prompt, put \`--\` in front. Nothing was started."`,
    );
    expect(refusalView({ kind: 'thread_taken' }).text).toMatchInlineSnapshot(
      `"🧵 *A job runs in this thread already.* Mention me there: it goes to the agent. Nothing was started."`,
    );
    expect(watchedAlreadyView('https://acme.slack.com/archives/C1/p5').text).toMatchInlineSnapshot(`
      "👀 *This job is watched already.* Mention me in its thread to send a follow-up.
      Open the thread: https://acme.slack.com/archives/C1/p5"
    `);
    expect(watchedAlreadyView(null).text).toMatchInlineSnapshot(
      `"👀 *This job is watched already.* Mention me in its thread to send a follow-up."`,
    );
    expect(noJobIdView().text).toMatchInlineSnapshot(
      `"🔍 *That is no id of a job.* \`/docs-agent watch\` takes the id of a job at the agent API."`,
    );
    expect(notStoredView().text).toMatchInlineSnapshot(
      `"⚠️ *The request could not be stored.* Nothing was started: please try again."`,
    );
  });
});

describe('a person who asks the same again', () => {
  const sameAs = aJob({ requestedAtMs: 1_000, threadTs: '5.000000' });
  const job = aJob({ requestedAtMs: 13_000 });
  const permalink = 'https://acme.slack.com/archives/C1/p5';

  test('learns what became of the job before', () => {
    const fate = (stage: Stage) =>
      askedBeforeView({ job, sameAs: { ...sameAs, stage } }, null).text.split('.* ')[1];
    expect(fate({ kind: 'ended', status: 'completed' })).toMatch(
      /^That job is over: you can go on with it in its thread/,
    );
    expect(fate({ kind: 'rejected', message: '' })).toMatch(/^That job: ⛔ \*Refused\*/);
    expect(fate({ kind: 'create_unknown', callId: 'c' })).toMatch(/^That job: ❓ \*Start unknown\*/);
  });

  test('is asked whether it is meant', () => {
    expect(askedBeforeView({ job, sameAs }, permalink).text).toMatchInlineSnapshot(`
      "🔁 *You asked the same 12 seconds ago.* That job: 🚀 *Starting*. *Start another* gives the agent the same work a second time.
      Open the thread: https://acme.slack.com/archives/C1/p5"
    `);
    expect(
      askedBeforeView({ job, sameAs: aJob({ requestedAtMs: 12_000 }) }, null).text,
    ).toMatchInlineSnapshot(
      `"🔁 *You asked the same 1 second ago.* That job: 🚀 *Starting*. *Start another* gives the agent the same work a second time."`,
    );
    expect(askedBeforeView({ job, sameAs: null }, null).text).toMatchInlineSnapshot(
      `"🔁 *You asked the same a moment ago.* *Start another* gives the agent the same work a second time."`,
    );
  });
});
