import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { includes, some } from '../support/is.ts';
import { alice, general, random } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';

const hush = 'Hush1hush2Hush3hush4';
const link = 'https://github.com/acme/docs/pull/14';
const withToken = `https://x-access-token:ghp_${hush}@github.com/acme/docs`;

async function start(): Promise<Program> {
  const program = await startProgram({ settings: { NOTICE_CHANNELS: random } });
  program.slack.control.invite(random, strictApp.botUserId);
  return program;
}

/** What the agent says of its job from now on. */
function says(program: Program, job: object): void {
  const body = { id: program.api.jobs[0]?.id, ...job };
  program.api.failNext('get', ...Array.from({ length: 200 }, () => ({ status: 200, body })));
}

/** All that anybody can read of it: in Slack, in the log, in the store. */
async function everywhere({ slack, log, env }: Program): Promise<string> {
  const shown = [await slack.control.messages(general), await slack.control.messages(random)];
  const dir = env.DATA_DIR ?? '';
  const stored = readdirSync(dir).map((file) => readFileSync(join(dir, file), 'latin1'));
  return [JSON.stringify(shown), ...log, ...stored].join('\n');
}

test.each([
  ['in front of the address', `${withToken}/pull/14`],
  ['in its query', `${link}?private_token=${hush}`],
  ['in capitals, and with a line end', `HTTPS://me:${hush}\n@github.com/acme/docs/pull/14`],
])('a secret %s of a pull request is told to nobody, and the rest is a link (E3)', async (_name, prLink) => {
  await using program = await start();
  const card = await program.ask('Add a quickstart');
  says(program, {
    status: 'completed',
    prLink,
    source: { repository: `${withToken}.git`, ref: `a-ghp_${hush}` },
  });
  const end = await program.threadMessage(card, 'Pull request ready');
  expect(end.text).toContain(`<${link}|acme/docs#14>`);
  const [notice] = await program.later(() => program.slack.control.messages(random), some, 'the notice');
  expect(notice?.text).toContain(`<${link}|acme/docs#14>`);
  await program.clock.advance(60_000);
  expect(await everywhere(program)).not.toContain(hush);
  expect(await everywhere(program)).toContain('https://github.com/acme/docs.git');
});

test('one that cannot be taken out of an address is told to nobody, nor linked', async () => {
  await using program = await start();
  const card = await program.ask('Add a quickstart');
  says(program, { status: 'completed', prLink: `https://github.com/acme/docs/pull/ghp%5F${hush}` });
  const end = await program.threadMessage(card, 'Pull request');
  expect(JSON.stringify(end.blocks)).toContain('github.com/acme/docs/pull/ghp-[redacted]');
  expect(JSON.stringify(end.blocks)).not.toContain('"url"');
  expect(await everywhere(program)).not.toContain(hush);
});

test('one in a status, or in the words of a refusal, is told to nobody', async () => {
  await using program = await start();
  const first = await program.ask('Add a quickstart');
  says(program, { status: `waiting for Bearer ${hush}` });
  await program.later(
    () => program.slack.control.thread(first.channel, first.ts),
    ([root]) => root?.text.includes('waiting for Bearer [redacted]') === true,
    'the card to show it',
  );
  program.api.failNext('create', {
    status: 400,
    body: { error: `cannot clone ${withToken}: test-key is wrong` },
  });
  await program.slack.control.command({ channel: general, user: alice, text: 'Add a glossary' });
  await program.later(() => everywhere(program), includes('Not accepted'), 'the refusal');
  const all = await everywhere(program);
  expect(all).toContain('cannot clone https://[redacted]@github.com/acme/docs: … is wrong');
  expect(all).not.toContain(hush);
});
