import { expect, test } from 'vitest';
import { present, some } from '../support/is.ts';
import { alice, general, random } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';

const secret = 'G0SECRET';
const url = 'https://github.com/acme/docs/pull/14';

/** With a private channel, and `random` as the notice channel. */
async function start(noticeChannels = random): Promise<Program> {
  const program = await startProgram({ settings: { NOTICE_CHANNELS: noticeChannels } });
  const { control } = program.slack;
  control.openChannel({
    id: secret,
    name: 'secret',
    type: 'group',
    members: [alice, strictApp.botUserId],
  });
  control.invite(random, strictApp.botUserId);
  return program;
}

const askIn = (program: Program, channel: string) =>
  program.slack.control.command({ channel, user: alice, text: 'Document the layoffs' });

/** Ends the job with a pull request, and returns the only notice that follows. */
async function notice(program: Program, channel = random) {
  await program.later(() => program.api.jobs[0]?.id, present, 'the job');
  program.api.finish(0, { status: 'completed', prLink: url });
  const notices = await program.later(
    async () => (await program.slack.control.messages(channel)).filter(({ text }) => isNotice(text)),
    some,
    'the notice',
  );
  expect(notices).toHaveLength(1);
  const [{ text = '', blocks = [] } = {}] = notices;
  return { text, shown: JSON.stringify(blocks) };
}

const isNotice = (text: string) => /^📝/.test(text);

/** Neither in words nor behind a button. */
function expectOnlyLink({ text, shown }: Awaited<ReturnType<typeof notice>>): void {
  expect(text).toBe(`📝 <${url}|acme/docs#14> · *New documentation pull request*`);
  expect(shown).toContain(url);
  for (const said of [text, shown]) expect(said).not.toMatch(new RegExp(`layoffs|${alice}|archives`));
}

test('what was asked in a private channel is told of elsewhere by its link alone (N1)', async () => {
  await using program = await start();
  await askIn(program, secret);
  expectOnlyLink(await notice(program));
});

test('what was asked in a direct message is announced elsewhere by its link alone (N1)', async () => {
  await using program = await start();
  await program.slack.control.message({ channel: alice, user: alice, text: 'Document the layoffs' });
  expectOnlyLink(await notice(program));
});

test('what was asked in a public channel is told of with the request and its thread (N1)', async () => {
  await using program = await start();
  await program.ask('Document the rate limits');
  const { text, shown } = await notice(program);
  expect(text).toContain('Document the rate limits');
  expect(shown).toContain('archives');
});

test('a private channel that is its own notice channel is told of with the request (N1)', async () => {
  await using program = await start(secret);
  await askIn(program, secret);
  expect((await notice(program, secret)).text).toContain('layoffs');
});

test.each([
  ['the app may not ask', { error: 'missing_scope' }],
  ['Slack does not answer as it should', { status: 503 }],
])('where %s what a channel is, it is taken for a private one (N1)', async (_case, fault) => {
  await using program = await start();
  await program.ask('Document the layoffs');
  // That it is not shared is known.
  program.slack.onCall(({ method, args }) =>
    method === 'conversations.info' && args.channel === general ? fault : null,
  );
  expectOnlyLink(await notice(program));
  expect(program.log.join('')).toContain('channel_taken_for_private');
});
