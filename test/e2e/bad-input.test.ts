import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { has } from '../support/is.ts';
import { alice, bob, general, random, type SlackMessage } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import { receipt } from './support/posts.ts';
import { expectHarmless } from './support/shown.ts';
import { cards } from './support/turns.ts';

const MAX = 50_000;

let program: Program;
beforeAll(async () => {
  program = await startProgram({ settings: { PROMPT_MAX_LENGTH: String(MAX) } });
});
afterAll(() => program[Symbol.asyncDispose]());
afterEach(() => expectHarmless(program.slack, [alice, bob]));

const newestPrompts = () => program.api.jobs.at(-1)?.prompts;
const command = (text: string) => program.slack.control.command({ channel: general, user: alice, text });

/** Asks for a job, and waits until the agent is said to work. Returns the card. */
async function working(text: string): Promise<SlackMessage> {
  const before = (await cards(program)).length;
  await command(text);
  const all = await program.later(() => cards(program), has(before + 1), 'the card');
  const card = all.at(-1);
  if (card === undefined) throw new Error('there is no card');
  await program.threadMessage(card, 'On it');
  return card;
}

/** The answer to a command that starts nothing. */
async function refused(text: string): Promise<unknown> {
  const posts = program.slack.calls('chat.postMessage').length;
  const creates = program.api.counts.create;
  const { payload } = await command(text);
  await program.clock.advance(5_000);
  expect(program.slack.calls('chat.postMessage')).toHaveLength(posts);
  expect(program.api.counts.create).toBe(creates);
  return payload;
}

test.each([
  ['characters that show nothing', '\u200b\u200d\u2060\ufeff\u00ad\u3164\u2800', /What should change\?/],
  ['a forced prompt of nothing', '-- \u200b', /What should change\?/],
  ['a prompt that is too long, with the limit,', 'x'.repeat(MAX + 1), /50,001.*50,000/],
  ['the word “help”', 'help', /📖/],
  ['the word “help” in capitals', '  HELP ', /📖/],
  ['the word “settings”', 'settings', /docs-agent has no administrators yet/],
  [
    'a link that looks like another',
    '<https://evil.example|https://bank.example>',
    /^\*Send “.*https:\/\/evil\.example.*as a new request\?\*/,
  ],
  ['a typed broadcast', '&lt;!channel&gt;', /^\*Send “&lt;!channel&gt;” .*as a new request\?\*/],
])(
  'a command with %s gets a private answer, and nothing else happens (S2, S6, E3)',
  async (_what, text, answer) => {
    expect(await refused(text)).toMatchObject({
      response_type: 'ephemeral',
      text: expect.stringMatching(answer),
    });
  },
);

test('a command with nothing but blanks or control characters opens the form, and nothing else happens (S2)', async () => {
  for (const text of ['', '  \n\t ', '\u0000\u0007\u001b']) {
    const opened = program.slack.calls('views.open').length;
    expect(await refused(text)).toEqual({});
    expect(program.slack.calls('views.open')).toHaveLength(opened + 1);
  }
});

const long = 'All the endpoints, one by one. '.repeat(1290).trim();
test.each<[string, string, string]>([
  ['reserved words with more words', 'list all our endpoints', 'list all our endpoints'],
  ['broadcasts', 'Tell <!channel> and <!here|here>, <!everyone>', 'Tell @channel and @here, @everyone'],
  ['broadcasts that were typed', 'Tell &lt;!channel&gt; @channel', 'Tell <!channel> @channel'],
  [
    'mentions',
    `Ask <@${bob}> and <@U0NOBODY|nobody> in <#${general}|general>`,
    'Ask @bob and @nobody in #general',
  ],
  [
    'links',
    'Like <https://docs.example/a?b=1&amp;c=2|this page> or <https://docs.example>',
    'Like this page (https://docs.example/a?b=1&c=2) or https://docs.example',
  ],
  [
    'a link that looks like another',
    'Explain <https://evil.example|https://bank.example>',
    'Explain https://bank.example (https://evil.example)',
  ],
  [
    'markup',
    '*bold* _it_ ~no~ `code` :tada: &amp;lt;!here&amp;gt;',
    '*bold* _it_ ~no~ `code` :tada: &lt;!here&gt;',
  ],
  ['text that runs the other way', 'أضف \u202egnp.exe\u202c دليلا', 'أضف \u202egnp.exe\u202c دليلا'],
  ['control characters', 'A\u0000B\u0007C\u001b[31mD\r\nE', 'ABC[31mD\nE'],
  ['half a character', 'A \ud83dB', 'A \ufffdB'],
  ['40,000 characters', long, long],
  ['40,000 characters that grow when escaped', '&amp;&lt;!here&gt;'.repeat(2_200), '&<!here>'.repeat(2_200)],
])('%s go to the API as they were meant, and are harmless in Slack (S6, E3)', async (_what, text, meant) => {
  const card = await working(text);
  expect(newestPrompts()).toEqual([meant]);
  const reply = await program.slack.control.reply(card, `${text}!`);
  await program.clock.advance(4_000);
  await receipt(program.slack.control, reply, 'white_check_mark');
  expect(newestPrompts()).toEqual([meant, `${meant}!`]);
});

test.each([
  ['nothing that shows', '\u200b\u2060', 'It has no text.'],
  ['too many characters', 'x'.repeat(MAX + 1), 'It has 50,001 characters; the limit is 50,000.'],
])('a reply with %s is not sent: the thread says why (F1, S6)', async (what, text, reason) => {
  const card = await working(`Wait for ${what}`);
  const { message: before } = program.api.counts;
  const reply = await program.slack.control.reply(card, text);
  // Nobody asked the agent API.
  expect((await program.threadMessage(card, reason)).text).not.toContain('agent API');
  await receipt(program.slack.control, reply, 'warning');
  await program.clock.advance(10_000);
  expect(program.api.counts.message).toBe(before);
});

test('hostile answers of the agent API are harmless in Slack, wherever they are shown (E3)', async () => {
  await using world = await startProgram({ settings: { NOTICE_CHANNELS: random } });
  const { api, slack } = world;
  const hostile = `<!channel> <@${bob}> <https://evil.example|here> *x* \u202e\u0000`;
  slack.control.invite(random, strictApp.botUserId);
  api.failNext('create', { status: 400, body: { error: hostile } });
  await world.threadMessage(await world.ask('Refuse me'), '&lt;!channel&gt;');

  const card = await world.working('Describe me');
  const id = api.jobs[0]?.id ?? '';
  const job = { id, status: hostile, model: hostile, prLink: hostile };
  const source = { repository: hostile.repeat(100), ref: hostile };
  api.failNext('get', { status: 200, body: { ...job, source } });
  await world.shows(card, '&lt;!channel&gt;');
  const prLink = `https://evil.example/<!here>|${'x'.repeat(3_500)}`;
  api.finish(id, { status: 'completed', prLink });
  await world.threadMessage(card, '🎉');
  await world.later(() => slack.control.messages(random), has(1), 'the notice');
  expectHarmless(slack, [alice]);
});
