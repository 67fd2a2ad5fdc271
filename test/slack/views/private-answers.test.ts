import { describe, expect, test } from 'vitest';
import type { Job } from '../../../src/jobs/job.ts';
import { questionView } from '../../../src/slack/views/compose.ts';
import {
  newMessagesOnlyView,
  noJobIdView,
  notAllowedView,
  notStoredView,
  notYourFormView,
  refusalView,
  requestNotPostedView,
  startingView,
  storingUnclearView,
  watchedAlreadyView,
} from '../../../src/slack/views/private-answers.ts';
import { allHelpModal, helpView } from '../../../src/slack/views/status.ts';
import { aJob, noNames } from './a-job.ts';

const prompt = 'Document the rate limits &amp; quotas';

describe('a person whose card could not be posted gets a message', () => {
  test.each(['not_in_channel', 'channel_not_found'])('how to invite the bot (%s)', (reason) => {
    expect(requestNotPostedView('card_refused', reason, aJob({ prompt, cards: 1 }), noNames).text).toBe(
      "I'm not in this channel yet. Type `/invite @docs-agent`, then press *Start*. Your request is saved.\n" +
        '“Document the rate limits &amp; quotas”\n[Start]',
    );
  });

  test('what to use instead of a direct message of two people (S4)', () => {
    const job = aJob({ prompt, cards: 1, channelId: 'D0ALICEBOB' });
    expect(
      requestNotPostedView('card_refused', 'channel_not_found', job, noNames).text,
    ).toMatchInlineSnapshot(`
      "I can't join a direct message between two people. Use a channel, or write to me directly.
      “Document the rate limits &amp; quotas”"
    `);
  });

  test.each([
    ['is_archived', "I can't post in this channel: it is archived"],
    ['restricted_action', "I can't post in this channel: posting isn't allowed"],
    ['restricted_action_read_only_channel', "I can't post in this channel: posting isn't allowed"],
    ['weird_<code>', "Slack didn't accept my message (weird_&lt;code&gt;)"],
  ])('why: %s', (reason, explanation) => {
    const { text } = requestNotPostedView('card_refused', reason, aJob({ prompt, cards: 1 }), noNames);
    expect(text).toContain(explanation);
    expect(text).toContain('“Document the rate limits &amp; quotas”');
  });
});

describe('a person whose card waits reads that the request is kept', () => {
  test.each([
    [
      'missing_scope',
      "⚠️ *Waiting for an administrator* · Slack doesn't let me post (missing_scope). Your request is saved and continues once it's fixed.",
    ],
    [
      'not_in_channel',
      "I'm not in <#C1> yet. Type `/invite @docs-agent`, and your request starts by itself.",
    ],
  ])('%s', (reason, words) => {
    const { text } = requestNotPostedView('card_delayed', reason, aJob({ prompt, channelId: 'C1' }), noNames);
    expect(text).toContain(words);
    expect(text).toContain('“Document the rate limits &amp; quotas”');
  });
});

describe('a person who asks for help', () => {
  test('reads three examples, how to steer and see jobs, and a recipe if there are any', () => {
    expect(helpView('weekly-review').text).toMatchInlineSnapshot(`
      "📖 *Ask for a documentation change, get the pull request.*
      \`/docs-agent explain the rate limits\`
      \`@docs-agent add a quickstart for webhooks\`
      \`/docs-agent list\`
      • *Steer:* reply in the job's thread; every reply goes to the agent
      • *See:* \`/docs-agent list\`, \`/docs-agent status 142\`, or my Home tab
      • *Keep out:* \`aside …\` hides one reply from the agent; \`mute\` hides all of them
      • *Settings:* \`/docs-agent settings\`, for administrators
      • *Recipes:* \`/docs-agent run weekly-review\` starts a request that an administrator has set up
      [Start a job] [Everything I can do]"
    `);
    expect(helpView(null).text).not.toContain('Recipes');
  });

  test('reads everything, with a recipe that there is, and what the receipts mean, behind a button', () => {
    const textOf = (recipe: string | null) =>
      allHelpModal(recipe)
        .blocks.map((block) => JSON.stringify(block))
        .join('\n');
    expect(textOf('weekly-review')).toContain('`/docs-agent run weekly-review`');
    expect(textOf(null)).not.toContain('/docs-agent run');
    expect(textOf(null)).toContain(
      '👀 saved · ✅ delivered to the agent · ⚠️ not delivered · 💬 not for the agent · 🔇 muted',
    );
  });
});

describe('a request that is refused', () => {
  const together = { kind: 'too_long_together', length: 20_417, maxLength: 20_000 } as const;
  const projects = ['docs', 'handbook'].map((name) => ({ id: name, name }));

  test.each([
    [
      refusalView({ kind: 'empty' }),
      '✏️ What should change? `/docs-agent explain the rate limits`, or `/docs-agent` alone for a form.',
    ],
    [
      refusalView({ kind: 'too_long', length: 20_417, maxLength: 20_000 }),
      "✂️ That's 20,417 characters; the limit is 20,000. Shorten it, or put the details in a text snippet and attach it.",
    ],
    [
      refusalView({ ...together, mayUntick: true }),
      "✂️ With the included messages, that's 20,417 characters; the limit is 20,000. Untick some.",
    ],
    [
      refusalView({ ...together, mayUntick: false }),
      "✂️ With the included messages, that's 20,417 characters; the limit is 20,000. Shorten it.",
    ],
    [
      refusalView({ kind: 'unknown_project', name: 'dosc', projects }),
      "There's no project “dosc”. Available: docs, handbook.",
    ],
    [
      refusalView({ kind: 'thread_taken' }),
      "🧵 There's already a job in this thread. Mention me to reach the agent.",
    ],
    [
      watchedAlreadyView('https://acme.slack.com/archives/C1/p5'),
      "👀 I'm already watching this job. Continue in its thread.\nOpen thread: https://acme.slack.com/archives/C1/p5",
    ],
    [watchedAlreadyView(null), "👀 I'm already watching this job. Continue in its thread."],
    [noJobIdView, "🔍 That isn't a job id. `/docs-agent watch` takes the agent's id for the job."],
    [notStoredView, "⚠️ I couldn't save that. Please try again in a minute."],
    [
      storingUnclearView,
      "❓ I can't tell whether that was saved. If nothing appears within a minute, please try again.",
    ],
    [newMessagesOnlyView, 'I only read new messages. Send it as a new message to start a job.'],
    [
      notYourFormView,
      'This form was made for somebody else or for another channel. Press the button in the thread again.',
    ],
  ])('says why, and the way out (%#)', ({ text }, words) => {
    expect(text).toBe(words);
  });

  test.each([
    ['guest', "guests aren't allowed"],
    ['other_workspace', 'only members of this workspace'],
    ['person', 'only certain people'],
    ['channel', 'only certain channels'],
    ['nobody', "bots and deactivated accounts aren't allowed"],
    ['unknown_person', "Slack doesn't tell me who you are"],
  ] as const)('says why a person may not use it: %s (A1)', (refusal, reason) => {
    expect(notAllowedView(refusal).text).toBe(
      `🔒 You can't use docs-agent here: ${reason}. Ask an administrator for access.`,
    );
  });
});

describe('a question before a start', () => {
  const sameAs = aJob({ requestedAtMs: 1_000, threadTs: '5.000000' });
  const asking = (sameAsJobId: string | null, facts: Partial<Job> = {}) =>
    aJob({
      requestedAtMs: 13_000,
      stage: { kind: 'awaiting_confirmation', sameAsJobId, thread: null },
      ...facts,
    });
  const typed = (prompt: string) => questionView({ job: asking(null, { prompt }), sameAs: null }, null).text;

  test.each([
    ['12 seconds ago', sameAs],
    ['1 second ago', aJob({ requestedAtMs: 12_000 })],
    ['a moment ago', null],
  ])('is asked about the same request within two minutes: %s', (ago, before) => {
    const permalink = before?.threadTs ? 'https://acme.slack.com/archives/C1/p5' : null;
    const thread = permalink === null ? '' : `Open thread: ${permalink}\n`;
    const { text } = questionView({ job: asking('job-1'), sameAs: before }, permalink);
    expect(text).toBe(`*You asked for this ${ago}.*\n${thread}[Start another]`);
  });

  test('is asked about one word', () => {
    expect(typed('stop')).toBe(
      "*Send “stop” to the agent as a new request?* Once it starts, it can't be cancelled.\n[Start] [Show help]",
    );
  });

  test('names the command that was nearly typed', () => {
    expect(typed('lists')).toBe(
      "*Send “lists” to the agent as a new request?* Once it starts, it can't be cancelled. *Did you mean* `/docs-agent list`?\n[Start] [Show help]",
    );
    expect(typed('watch this')).toContain('*Did you mean* `/docs-agent watch job_123`?');
  });

  test('says that there is no such job', () => {
    expect(typed('status codes')).toMatchInlineSnapshot(`
      "No job “codes”. *Send “status codes” to the agent as a new request?*
      [Start]"
    `);
  });

  test('becomes what was answered', () => {
    expect(startingView.text).toMatchInlineSnapshot(`"🚀 *Starting.* The card is about to appear."`);
  });
});
