import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { has, includes } from '../support/is.ts';
import { alice, bob, describeWithLocalSlack, general, random } from '../support/local-slack.ts';
import { receipt, toldLater } from './support/posts.ts';
import { expectHarmless } from './support/shown.ts';
import { working } from './support/turns.ts';
import { startWorld, type World } from './support/world.ts';

const MAX = 50_000;

describeWithLocalSlack('bad input', () => {
  let world: World & AsyncDisposable;
  beforeAll(async () => {
    world = await startWorld({
      settings: { PROMPT_MAX_LENGTH: String(MAX) },
    });
  });
  afterAll(() => world[Symbol.asyncDispose]());
  afterEach(() => expectHarmless(world, [alice, bob]));

  const newestJob = () => {
    const job = world.api.jobs.at(-1);
    if (job === undefined) throw new Error('there is no job');
    return job;
  };
  /** The private answer to a command that starts nothing. */
  const refused = async (text: string) => {
    const before = world.proxy.calls('chat.postMessage').length;
    const requests = world.api.requests.length;
    await world.slack.command({ channel: general, user: alice, text });
    await world.clock.advance(5_000);
    expect(world.proxy.calls('chat.postMessage')).toHaveLength(before);
    expect(world.api.requests).toHaveLength(requests);
    return world.proxy.socket.acks().at(-1)?.payload;
  };

  test.each([
    ['characters that show nothing', '\u200b\u200d\u2060\ufeff\u00ad\u3164\u2800'],
    ['a forced prompt of nothing', '-- \u200b'],
  ])('a command with %s gets a private answer, and nothing else happens (S6)', async (_what, text) => {
    expect(await refused(text)).toMatchObject({
      response_type: 'ephemeral',
      text: expect.stringContaining('What should change?'),
    });
  });

  test.each([
    ['nothing', ''],
    ['blanks', '  \n\t '],
    ['control characters', '\u0000\u0007\u001b'],
  ])('a command with %s opens the form, and nothing else happens (S2)', async (_what, text) => {
    const opened = world.proxy.calls('views.open').length;
    expect(await refused(text)).toEqual({});
    expect(world.proxy.calls('views.open')).toHaveLength(opened + 1);
  });

  test('a prompt that is too long gets a private answer with the limit, and nothing else happens (S6)', async () => {
    expect(await refused('x'.repeat(MAX + 1))).toMatchObject({
      response_type: 'ephemeral',
      text: expect.stringMatching(/50,001.*50,000/),
    });
  });

  test.each([
    ['help', '📖'],
    ['  HELP ', '📖'],
    ['settings', 'docs-agent has no administrators yet'],
  ])('“%s” is no prompt: it gets a private answer (S2)', async (text, answer) => {
    expect(await refused(text)).toMatchObject({
      response_type: 'ephemeral',
      text: expect.stringContaining(answer),
    });
  });

  test.each([
    ['a link that looks like another', '<https://evil.example|https://bank.example>', 'https://evil.example'],
    ['a broadcast that was typed', '&lt;!channel&gt;', '“&lt;!channel&gt;”'],
  ])('%s alone is asked about, and is harmless in the question (S2, E3)', async (_what, text, quoted) => {
    const question = await refused(text);
    expect(question).toMatchObject({ text: expect.stringMatching(/^\*Send “.*as a new request\?\*/) });
    expect(question).toMatchObject({ text: expect.stringContaining(quoted) });
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
    [
      '40,000 characters that grow when escaped',
      '&amp;&lt;!here&gt;'.repeat(2_200),
      '&<!here>'.repeat(2_200),
    ],
  ])(
    '%s go to the API as they were meant, and are harmless in Slack (S6, E3)',
    async (_what, text, meant) => {
      const card = await working(world, text);
      expect(newestJob().prompts).toEqual([meant]);

      const message = { channel: general, user: bob, text: `${text}!`, threadTs: card.ts };
      const reply = await world.slack.message(message);
      await world.clock.advance(4_000);
      await receipt(world.slack, reply, 'white_check_mark');
      expect(newestJob().prompts).toEqual([meant, `${meant}!`]);
    },
  );

  test.each([
    ['nothing that shows', '\u200b\u2060', 'It has no text.'],
    [
      'too many characters',
      'x'.repeat(MAX + 1),
      `It has ${(MAX + 1).toLocaleString('en-US')} characters; the limit is ${MAX.toLocaleString('en-US')}.`,
    ],
  ])('a reply with %s is not sent: the thread says why (F1, S6)', async (what, text, reason) => {
    const card = await working(world, `Wait for ${what}`);
    const { message: before } = world.api.counts;
    const reply = await world.slack.reply(card, text);
    const told = await world.threadMessage(card, reason);
    // Nobody asked the agent API.
    expect(told.text).not.toContain('agent API');
    await receipt(world.slack, reply, 'warning');
    await world.clock.advance(10_000);
    expect(world.api.counts.message).toBe(before);
  });

  test('“-- help” makes a prompt of a word that is a command (S2)', async () => {
    await working(world, '-- help');
    expect(newestJob().prompts).toEqual(['help']);
  });
});

describeWithLocalSlack('hostile answers of the agent API', () => {
  test('are harmless in Slack, wherever they are shown (E3)', async () => {
    await using world = await startWorld({ settings: { NOTICE_CHANNELS: random } });
    const hostile = `<!channel> <@${bob}> <https://evil.example|here> *x* \u202e\u0000`;
    world.api.failNext('create', { status: 400, body: { error: hostile } });
    const refused = await world.ask('Refuse me');
    await world.threadMessage(refused, '&lt;!channel&gt;');

    const card = await working(world, 'Describe me');
    const id = world.api.jobs[0]?.id ?? '';
    const job = { id, status: hostile, model: hostile, prLink: hostile };
    const source = { repository: hostile.repeat(100), ref: hostile };
    world.api.failNext('get', { status: 200, body: { ...job, source } });
    await world.later(() => world.card(card), includes('&lt;!channel&gt;'), 'the card to show it');
    const prLink = `https://evil.example/<!here>|${'x'.repeat(3_500)}`;
    world.api.finish(id, { status: 'completed', prLink });
    await toldLater(world, card, '🎉');
    await world.later(() => world.slack.messages(random), has(1), 'the notice');
    expectHarmless(world, [alice]);
  });
});
