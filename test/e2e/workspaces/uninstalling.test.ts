import { afterEach, beforeEach, expect, test } from 'vitest';
import { includes } from '../../support/is.ts';
import { bob, general, type SlackMessage } from '../../support/local-slack.ts';
import {
  acme,
  acmeProject,
  beta,
  betaProject,
  startTeamsProgram,
  type TeamsProgram,
} from '../../support/slack-teams/program.ts';

let program: TeamsProgram;
let card: SlackMessage;
beforeEach(async () => {
  program = await startTeamsProgram();
  await program.ask(acme, 'Fix the typos');
  card = await program.card(acme, 'Fix the typos');
  await program.later(() => program.prompts(acmeProject).length, 1, 'the job');
});
afterEach(() => program[Symbol.asyncDispose]());

const jobId = () => program.jobs(acmeProject)[0]?.id ?? '';
const thread = async () =>
  (await program.slack.team(acme).control.thread(general, card.ts)).map(({ text }) => text).join();
const callsOf = (team: string) => program.slack.calls().filter(({ token }) => token?.includes(team)).length;
const MINUTES_MS = 60_000;
const withoutAcme = `
projects: [{ id: ${betaProject}, name: betadocs, api_key_env: BETA_KEY }]
workspaces: { ${beta}: { projects: [betadocs] } }
`;

test('after a removal no token is left, what waits is posted after the next installation, and the others go on (A2, E2)', async () => {
  await program.clock.advance(5 * MINUTES_MS);
  await program.slack.uninstall(acme);
  await program.clock.advance(5 * MINUTES_MS);
  const before = callsOf(acme);
  program.api.finish(jobId(), { status: 'completed' });
  await program.clock.advance(10 * MINUTES_MS);
  expect(callsOf(acme)).toBe(before);
  expect(await program.ask(acme, 'Fix the links')).toContain("isn't installed");
  expect(await thread()).not.toContain('Done, no pull request');
  expect(program.log.join()).toContain('installation_ended');
  await program.ask(beta, 'Fix the links');
  await program.card(beta, 'Fix the links');
  await program.install(acme);
  await program.later(thread, includes('Done, no pull request'), 'the end');
  await program.ask(acme, 'Fix the links');
  await program.card(acme, 'Fix the links');
});

test('a button that opens the pull request is taken, also where the app is removed or not set up any more (A2)', async () => {
  program.api.finish(jobId(), { status: 'completed', prLink: 'https://example.com/pr/1' });
  await program.later(thread, includes('🎉'), 'the pull request');
  const { control } = program.slack.team(acme);
  const press = async () => {
    const posts = await control.thread(general, card.ts);
    const announced = posts.findLast(({ blocks }) => JSON.stringify(blocks).includes('view_pull_request'));
    if (announced === undefined) throw new Error('there is no button');
    return control.press(announced, 'view_pull_request', bob);
  };
  expect(await press()).toMatchObject({ acknowledged: true });
  await program.restart({}, withoutAcme);
  expect(await press()).toMatchObject({ acknowledged: true });
  await program.slack.uninstall(acme);
  expect(await press()).toMatchObject({ acknowledged: true });
});

test('only a removal of the bot, and of the present installation, counts: Slack is asked whether its token is good (A2)', async () => {
  const event = (inner: object, atMs = program.clock.now()) =>
    program.slack.event({ team_id: acme, event: inner, event_time: Math.floor(atMs / 1000) });
  const revoked = (tokens: object) => event({ type: 'tokens_revoked', tokens });
  const removedAtMs = program.clock.now();
  await program.clock.advance(5 * MINUTES_MS);
  expect(await revoked({ oauth: ['U0ALICE'], bot: [] })).toBe(200);
  expect(await revoked({ oauth: [], bot: ['U0ANOTHER'] })).toBe(200);
  expect(await program.ask(acme, 'list')).toContain('Fix the typos');
  expect(await revoked({ bot: ['U0DOCSAGENT'] })).toBe(200);
  expect(await program.ask(acme, 'list')).toContain("isn't installed");

  await program.install(acme);
  expect(await event({ type: 'app_uninstalled' }, removedAtMs)).toBe(200);
  await program.ask(acme, 'Fix the links');
  await program.card(acme, 'Fix the links');
  // Right after an installation.
  expect(await event({ type: 'app_uninstalled' })).toBe(200);
  expect(await program.ask(acme, 'list')).toContain('Fix the typos');
  program.slack.tokens.revoke(acme);
  expect(await event({ type: 'app_uninstalled' })).toBe(200);
  expect(await program.ask(acme, 'list')).toContain("isn't installed");
});

test('a removal without an event is an administrator’s matter: requests are kept (E2)', async () => {
  program.slack.tokens.revoke(acme);
  await program.slack.team(acme).control.reply(card, 'and the titles');
  program.api.finish(jobId(), { status: 'completed' });
  await program.clock.advance(5 * MINUTES_MS);
  expect(program.log.join()).toContain('token_revoked');
  await program.install(acme);
  await program.later(thread, includes('Done, no pull request'), 'the end');
});
