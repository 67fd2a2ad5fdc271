import { describe, expect, test } from 'vitest';
import { helpView } from '../../../src/slack/views/help.ts';
import {
  emptyPromptView,
  notStoredView,
  promptTooLongView,
  reservedWordView,
} from '../../../src/slack/views/refusals.ts';
import { requesterView } from '../../../src/slack/views/requester.ts';
import { noNames } from './a-job.ts';

const prompt = 'Document the rate limits &amp; quotas';

describe('a person whose card could not be posted is told', () => {
  test.each(['not_in_channel', 'channel_not_found'])('how to invite the bot (%s)', (reason) => {
    expect(requesterView(reason, prompt, noNames).text).toBe(
      '⛔ *Not started*. The bot is not in this conversation: type `/invite @docs-agent`, then send the command ' +
        'again. Nothing was started. Your prompt was:\n“Document the rate limits &amp; quotas”',
    );
  });

  test.each([
    ['is_archived', 'This channel is archived'],
    ['restricted_action', 'The bot may not post in this channel'],
    ['restricted_action_read_only_channel', 'The bot may not post in this channel'],
    ['weird_<code>', 'Slack did not take the message (weird_&lt;code&gt;)'],
  ])('why: %s', (reason, explanation) => {
    const { text } = requesterView(reason, prompt, noNames);
    expect(text).toContain(explanation);
    expect(text).toContain('Nothing was started.');
    expect(text).toContain('“Document the rate limits &amp; quotas”');
  });
});

describe('a person who asks for help', () => {
  test('learns the one command and the one habit', () => {
    expect(helpView().text).toMatchInlineSnapshot(`
      "📖 *Ask for a documentation change, get the pull request.*
      • \`/docs-agent explain the rate limits\` starts a job: its card in this channel shows how it goes
      • a reply in the card's thread is a follow-up: it goes to the same job
      • the pull request is announced in the thread
      \`/docs-agent -- help\` makes a prompt of a word that is a command"
    `);
  });
});

describe('a request that is refused', () => {
  test('says why, and that nothing was started', () => {
    expect(emptyPromptView().text).toMatchInlineSnapshot(
      `"✏️ *No prompt.* Say what to change: \`/docs-agent explain the rate limits\`. Nothing was started."`,
    );
    expect(promptTooLongView(20_417, 20_000).text).toMatchInlineSnapshot(
      `"✂️ *The prompt is too long.* It has 20,417 characters, the limit is 20,000. Nothing was started."`,
    );
    expect(reservedWordView('list').text).toMatchInlineSnapshot(
      `"🚧 *list is not available yet.* To use it as a prompt, type \`/docs-agent -- list\`. Nothing was started."`,
    );
    expect(notStoredView().text).toMatchInlineSnapshot(
      `"⚠️ *The request could not be stored.* Nothing was started: please try again."`,
    );
  });
});
