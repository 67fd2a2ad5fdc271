import { describe, expect, onTestFinished, test } from 'vitest';
import { above, includes, some } from '../../support/is.ts';
import { alice, bob, general, type SlackMessage } from '../../support/local-slack.ts';
import { type Program, type ProgramOptions, startProgram } from '../../support/strict-slack/program.ts';
import { expectHarmless } from '../support/shown.ts';

const PR = 'https://github.com/acme/docs/pull/14';
const announces = ['summary', 'activity', 'cancel'] as const;

async function startWorking(options: ProgramOptions = {}) {
  const program = await startProgram({ announces, ...options });
  onTestFinished(() => program[Symbol.asyncDispose]());
  const card = await program.working();
  const id = program.api.jobs[0]?.id ?? '';
  return { program, card, id, api: program.api, slack: program.slack };
}

const edits = ({ slack }: Program, card: SlackMessage) =>
  slack.calls('chat.update').filter(({ args }) => args.ts === card.ts);

describe('what the agent says (W6)', () => {
  test('without a pull request, its words are the message, to those who asked (W3)', async () => {
    const { program, card, id, api } = await startWorking();
    api.finish(id, { status: 'completed', summary: 'The limit is 100 an hour.\nSee docs/limits.md.' });
    const answer = await program.threadMessage(card, 'The limit is');
    expect(answer.text).toBe(
      `💬 <@${alice}> *The agent says:*\n“The limit is 100 an hour.\nSee docs/limits.md.”`,
    );
    await program.shows(card, '✅ *Done, no pull request*');
    await program.slack.control.reply(card, 'And for reads?');
    await program.later(() => api.jobs[0]?.prompts.length, 2, 'the question to be sent');
    api.finish(id, { status: 'completed', summary: 'There is none.' });
    expect((await program.threadMessage(card, 'There is none')).text).toMatch(new RegExp(`^💬 <@${bob}> `));
  });

  test('a question after a pull request is answered; the card keeps the pull request', async () => {
    const { program, card, id, api } = await startWorking();
    api.finish(id, { status: 'completed', prLink: PR, summary: 'Added docs/quickstart.md.' });
    const ready = await program.threadMessage(card, 'Pull request ready');
    expect(ready.text).toContain('“Added docs/quickstart.md.”');
    expect(ready.text).not.toContain('Read all');
    await program.slack.control.reply(card, 'Is it done?');
    await program.later(() => api.jobs[0]?.prompts.length, 2, 'the question to be sent: the agent answers');
    api.finish(id, { status: 'completed', prLink: null, summary: 'Yes.' });
    await program.threadMessage(card, '“Yes.”');
    const { text } = await program.shows(card, '💬 *Answered* · ');
    expect(text).toContain('acme/docs#14');
    expect(text).not.toContain('Reply to the agent');
    await program.slack.control.reply(card, 'Shorter, please');
    await program.later(() => api.jobs[0]?.prompts.length, 3, 'the next reply');
    api.finish(id, { status: 'completed', prLink: PR, summary: 'It is shorter.' });
    expect((await program.threadMessage(card, 'Updated')).text).toContain('“It is shorter.”');
  });

  test('long words end between two words; *Read all* shows everybody the rest', async () => {
    const { program, card, id, api, slack } = await startWorking();
    const summary = `${'word '.repeat(597)}<!channel>`;
    api.finish(id, { status: 'completed', prLink: PR, summary });
    const ready = await program.threadMessage(card, '[Read all]');
    const [, quoted = ''] = /“(.*)”/s.exec(ready.text) ?? [];
    expect(quoted.length).toBeLessThanOrEqual(600);
    expect(quoted).toMatch(/^(word )+word…$/);
    // A later turn says something else.
    await program.slack.control.reply(card, 'Thanks, and shorter please');
    api.finish(id, { status: 'completed', prLink: PR, summary: 'Shorter.' });
    for (const user of [alice, bob]) {
      await slack.control.press(ready, 'read_all', user);
      const modal = await program.later(() => slack.control.modal(user)?.blocks ?? [], some, 'the modal');
      const texts = modal.map((block) => (block as { text?: { type: string; text: string } }).text);
      expect(new Set(texts.map((part) => part?.type))).toEqual(new Set(['plain_text']));
      const shown = texts.map((part) => part?.text).join('');
      expect(shown.replace(/\s/g, '')).toBe(summary.replace(/\s/g, ''));
    }
  });

  test('a failure has its reason in the thread and on the card, without the key to the API', async () => {
    const { program, card, id, api } = await startWorking();
    api.finish(id, { status: 'failed', reason: 'The key test-key has expired' });
    const news = await program.threadMessage(card, 'Failed');
    expect(news.text).toContain(`❌ <@${alice}> *Failed.* The key … has expired.`);
    await program.shows(card, '❌ *Failed* · The key … has expired');
  });
});

test('the card says what the agent does, edited for it once in 15 seconds (W2)', async () => {
  const { program, card, id, api, slack } = await startWorking();
  const { clock } = program;
  await program.shows(card, '[Stop]');
  await clock.advance(20_000);
  const before = edits(program, card).length;
  api.doing(id, 'Editing docs/first.md');
  await program.shows(card, ' · editing docs/first.md');
  const shownAtMs = clock.now();
  for (let second = 0; second < 12; second += 2) {
    api.doing(id, `Reading file ${second}`);
    await clock.advance(2_000);
  }
  expect(clock.now() - shownAtMs).toBeLessThan(15_000);
  expect(edits(program, card).length - before).toBe(1);
  await program.shows(card, ' · reading file 10');
  expect(edits(program, card).length - before).toBe(2);
  api.doing(id, null);
  await clock.advance(20_000);
  expect((await slack.control.messages(general)).find(({ ts }) => ts === card.ts)?.text).not.toContain(
    'reading',
  );
});

test('what is not announced is not read, even if it is there (E3)', async () => {
  const { program, card, id, api } = await startWorking({ announces: [] });
  const job = { id, status: 'active', summary: 'words', reason: 'words', activity: 'words' };
  api.failNext('get', ...Array.from({ length: 5 }, () => ({ status: 200, body: job })));
  await program.clock.advance(15_000);
  api.failNext('get', { status: 200, body: { ...job, status: 'failed' } });
  await program.threadMessage(card, 'The agent gave no reason');
  expect(JSON.stringify(program.slack.calls('chat.update'))).not.toContain('words');
});

test('a question goes to an agent that answers (S2)', async () => {
  const { program, slack, api } = await startWorking();
  await slack.control.command({ channel: general, user: alice, text: 'What is the rate limit?' });
  await program.later(
    () => api.jobs.map(({ prompts }) => prompts[0]),
    includes('What is the rate limit?'),
    'the question to be asked',
  );
});

const HOSTILE = [
  '<!channel> <!here> <@U0BOB> <#C0DOCS> <https://evil.example|acme/docs#14> &lt;!everyone&gt;',
  '*bold* _it_ ~no~ `code` ```fence``` > quote',
  '\u202egnol\u202c \ud800 \0 zero',
  'a'.repeat(1_000),
  `${'é\u0301'.repeat(200)} ${'👩‍👩‍👧'.repeat(100)}`,
  'line\n'.repeat(300),
].join('\n');

test.each([
  ['a summary', { status: 'completed', summary: HOSTILE.slice(0, 3_000) }],
  ['a summary with a pull request', { status: 'completed', prLink: PR, summary: HOSTILE }],
  ['a reason', { status: 'failed', reason: HOSTILE }],
  ['a reason of a stop', { status: 'completed', reason: HOSTILE }],
] as const)('hostile words: %s mentions nobody, links nowhere and fits (E3)', async (_what, finish) => {
  const { program, card, id, api, slack } = await startWorking();
  api.doing(id, HOSTILE);
  await program.shows(card, 'acme/docs');
  api.finish(id, finish);
  await program.later(async () => (await program.posts(card)).length, above(1), 'the end of the turn');
  await program.clock.advance(10_000);
  expectHarmless(slack, [alice], /^<https:\/\/github\.com\/acme\/docs\/pull\/14\|acme\/docs#14>$/);
});
