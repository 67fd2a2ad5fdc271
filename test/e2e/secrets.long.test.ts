import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import { startAgentApi } from '../support/agent-api/agent-api.ts';
import { runProgram } from '../support/child-program.ts';
import { startCodeHost } from '../support/code-host/code-host.ts';
import { freePort } from '../support/free-port.ts';
import { present } from '../support/is.ts';
import { alice, bob, general } from '../support/local-slack.ts';
import { createSignedSlack } from '../support/signed-slack.ts';
import { startStrictSlack } from '../support/strict-slack.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { waitFor } from '../support/wait-for.ts';

const bot = '<@U0DOCSAGENT>';

/** Each can be recognised in the output. */
const planted = {
  agentKey: 'PlantedAgentKey',
  prompt: 'PlantedPromptForTheAgent',
  mention: 'PlantedMentionOfTheBot',
  reply: 'PlantedReply',
  edit: 'PlantedEdit',
  chat: 'PlantedChat',
  file: 'PlantedFile',
  form: 'PlantedForm',
  answer: 'PlantedAnswer',
  slackPage: 'PlantedSlackPage',
  forged: 'PlantedForged',
  codeHostToken: 'PlantedCodeHostToken',
  title: 'PlantedTitle',
  codeHostPage: 'PlantedCodeHostPage',
} as const;

/** The real program at its most talkative, in real time, with all that it talks to. */
async function startTalkative(isHttp: boolean) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/slack/events`;
  const slack = await startStrictSlack({
    clock: systemClock,
    app: isHttp ? { mode: 'events', requestUrls: [url] } : { mode: 'socket' },
  });
  const api = await startAgentApi({
    apiKey: planted.agentKey,
    projectId: 'acme-docs',
    clock: systemClock,
    script: () => ({ workMs: 0, ending: 'manual' }),
  });
  const codeHost = await startCodeHost({ token: planted.codeHostToken, clock: systemClock });
  const dataDir = await createTempDir();
  const program = runProgram(['start'], {
    SLACK_BOT_TOKEN: slack.botToken,
    ...(isHttp ? { SLACK_SIGNING_SECRET: slack.signingSecret } : { SLACK_APP_TOKEN: slack.appToken }),
    SLACK_API_URL: slack.apiUrl,
    AGENT_BASE_URL: api.baseUrl,
    AGENT_API_KEY: planted.agentKey,
    AGENT_PROJECT_ID: 'acme-docs',
    GITHUB_TOKEN: planted.codeHostToken,
    GITHUB_WEB_URL: codeHost.webUrl,
    DATA_DIR: dataDir.path,
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'debug',
    FOLLOW_UP_WINDOW: '0',
    SETTLE_WINDOW: '0',
    POLL_MIN_INTERVAL: '500ms',
    POLL_MAX_INTERVAL: '500ms',
  });
  onTestFinished(async () => {
    await program[Symbol.asyncDispose]();
    await slack[Symbol.asyncDispose]();
    await Promise.all([api.close(), codeHost.close(), dataDir.remove()]);
  });
  await program.logged('started');
  const signed = createSignedSlack({ url, signingSecret: slack.signingSecret, teamId: slack.teamId });
  return { slack, api, codeHost, program, dataDir: dataDir.path, signed, url };
}

type Talkative = Awaited<ReturnType<typeof startTalkative>>;

/** Waits until the program has logged so many events that match. */
function logged({ program }: Pick<Talkative, 'program'>, match: object, times = 1) {
  const matches = () =>
    program.log().filter((line) => Object.entries(match).every(([name, value]) => line[name] === value));
  return waitFor(matches, (found) => found.length >= times, {
    what: `${times} × ${JSON.stringify(match)}`,
  });
}

/** A job with all that people do, and then all that can go wrong outside. */
async function tellAStory(world: Talkative): Promise<void> {
  const { slack, api, codeHost } = world;
  const { control } = slack;
  const write = (text: string, more: object = {}) =>
    control.message({ channel: general, user: bob, text, ...more });

  const typed = (text: string) => control.command({ channel: general, user: alice, text });
  await typed(planted.prompt);
  await logged(world, { event: 'agent_called', outcome: 'done' });
  const find = async () =>
    (await control.messages(general)).find(({ text }) => text.includes(planted.prompt));
  const card = await waitFor(find, present, { what: 'the card' });
  const file = { name: 'notes.txt', content: planted.file, mode: 'snippet' };
  const reply = await write(planted.reply, { threadTs: card.ts, files: [file] });
  await logged(world, { event: 'agent_called', call: 'send_message', outcome: 'done' });
  await control.editMessage(reply, planted.edit);
  await write(`aside ${planted.chat}`, { threadTs: card.ts });
  await write(planted.chat);
  const root = await write(planted.chat);
  await write(`${bot} ${planted.mention}`, { threadTs: root.ts });
  await write(`${bot} ${planted.mention}`);
  await typed('');
  await expect.poll(() => control.modal(alice), { message: 'the form' }).toBeTruthy();
  await control.submit(alice, { prompt: planted.form });
  // Then all of this has gone through the program.
  const given = () => api.jobs.flatMap(({ prompts }) => prompts).join();
  const { prompt, mention, reply: replied, file: inlined, form } = planted;
  await expect
    .poll(given, { message: 'what the agent was given' })
    .toSatisfy((texts) => [prompt, mention, replied, inlined, form].every((text) => texts.includes(text)));
  await control.openHome(alice);
  await typed('list');
  // Two jobs end with pull requests: of one the code host speaks, of the other it does not.
  for (const [index, outcome] of ['seen', 'later'].entries()) {
    if (outcome === 'later') codeHost.failAt(/pulls/, { status: 500, body: planted.codeHostPage });
    const pull = codeHost.open({ repository: 'acme/docs', title: planted.title });
    const prLink = codeHost.githubLink(pull);
    api.finish(-1 - index, { status: 'completed', prLink });
    await logged(world, { event: 'code_host_looked', outcome });
  }

  for (const fault of [
    { status: 500, body: { error: planted.answer } },
    // The operator reads what the API says of the key, without the key.
    { status: 401, body: { error: `The key ${planted.agentKey} has expired` } },
    { status: 400, body: { error: `${planted.answer} ${planted.agentKey} ${planted.prompt}` } },
    'html',
    'reset_after',
    'half_body',
  ] as const) {
    api.failNext('get', fault, fault, fault);
    api.failNext('create', fault);
    await typed(`${planted.prompt} ${JSON.stringify(fault)}`);
  }
  await logged(world, { event: 'agent_called', outcome: 'unknown' }, 3);
  await logged(world, { event: 'agent_called', outcome: 'definite' }, 2);

  const faults = [
    { status: 500, body: planted.slackPage },
    { status: 200, body: `<html>${planted.slackPage}</html>` },
    { error: 'invalid_auth' },
    { error: 'missing_scope' },
    { error: 'msg_too_long' },
    'reset_after',
    'half_body',
  ] as const;
  let count = 0;
  slack.onCall(({ method }) => {
    if (method === 'apps.connections.open') return null;
    count += 1;
    return faults[count % faults.length] ?? null;
  });
  await typed(`${planted.prompt} again`);
  await write(planted.reply, { threadTs: card.ts });
  for (const outcome of ['unknown', 'needs_admin', 'refused']) {
    await logged(world, { event: 'slack_called', outcome });
  }
  slack.onCall(() => null);
}

async function forge({ signed, url }: Talkative): Promise<void> {
  const command = { channelId: general, userId: alice, text: planted.forged };
  for (const signature of ['wrong', 'stale'] as const)
    expect((await signed.sendCommand(command, { signature })).status).toBe(401);
  for (const body of [planted.forged, `{"${planted.forged}`, `payload=${planted.forged}`])
    await fetch(url, { method: 'POST', body });
}

/** What people do while the store fails, until the program has said so. */
async function whileStoreFails(world: Talkative): Promise<void> {
  const { control } = world.slack;
  await control.command({ channel: general, user: alice, text: `${planted.prompt} unstored` });
  await control.message({ channel: general, user: bob, text: `${bot} ${planted.mention} unstored` });
  await logged(world, { event: 'inbound_request_not_stored' });
  await logged(world, { event: 'listener_failed' });
}

async function expectNothingPlanted({ slack, program }: Talkative): Promise<void> {
  program.kill('SIGTERM');
  await program.exit;
  const output = program.output();
  const { botToken, appToken, signingSecret } = slack;
  const secrets = { ...planted, botToken, appToken, signingSecret };
  const told = Object.entries(secrets).filter(([, secret]) => output.includes(secret));
  const lines = output.split('\n').filter((line) => told.some(([, secret]) => line.includes(secret)));
  expect({ told: told.map(([name]) => name), lines: lines.slice(0, 5) }).toEqual({ told: [], lines: [] });
}

test.each(['socket', 'http'] as const)(
  'no output holds a secret, a prompt, a reply or a file, at the level debug, whatever fails, in %s mode (E3)',
  async (mode) => {
    const world = await startTalkative(mode === 'http');
    await tellAStory(world);
    if (mode === 'http') await forge(world);
    else world.slack.socket.cut();
    const file = new DatabaseSync(join(world.dataDir, 'docs-agent.db'), { timeout: 5_000 });
    onTestFinished(() => file.close());
    if (mode === 'socket')
      await expect.poll(() => world.slack.socket.connections(), { message: 'a socket' }).toBeTruthy();
    file.exec(
      `create trigger fault before insert on inbound_request begin select raise(abort, 'the disk is gone'); end`,
    );
    await whileStoreFails(world);
    await expectNothingPlanted(world);
  },
);
