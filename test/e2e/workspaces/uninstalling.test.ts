import { afterEach, beforeEach, expect, test } from 'vitest';
import { has, includes } from '../../support/is.ts';
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

const jobId = () => program.agents.of(acmeProject).jobs[0]?.id ?? '';
const thread = async () =>
  (await program.slack.team(acme).control.thread(general, card.ts)).map(({ text }) => text).join();
const callsOf = (team: string) => program.slack.calls().filter(({ token }) => token?.includes(team)).length;
const MINUTES_MS = 60_000;
const withoutAcme = `
projects: [{ id: ${betaProject}, name: betadocs, api_key_env: BETA_KEY }]
workspaces: { ${beta}: { projects: [betadocs] } }
`;

test('after a removal no token is left, and what waits is posted after the next installation (A2, E2)', async () => {
  await program.clock.advance(5 * MINUTES_MS);
  await program.slack.uninstall(acme);
  await program.clock.advance(5 * MINUTES_MS);
  const before = callsOf(acme);
  program.agents.of(acmeProject).finish(jobId(), { status: 'completed' });
  await program.clock.advance(10 * MINUTES_MS);
  expect(callsOf(acme)).toBe(before);
  expect(await program.ask(acme, 'Fix the links')).toContain("isn't installed");
  expect(await thread()).not.toContain('Done, no pull request');
  expect(program.log.join()).toContain('installation_ended');
  await program.install(acme);
  await program.later(thread, includes('Done, no pull request'), 'the end');
  await program.ask(acme, 'Fix the links');
  await program.card(acme, 'Fix the links');
});

test('a button that opens the pull request is taken, also where the app is removed or not set up any more (A2)', async () => {
  program.agents.of(acmeProject).finish(jobId(), { status: 'completed', prLink: 'https://example.com/pr/1' });
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

test('a removal in one workspace leaves the others alone (A2)', async () => {
  await program.clock.advance(5 * MINUTES_MS);
  await program.slack.uninstall(beta);
  await program.slack.team(acme).control.reply(card, 'and the titles');
  await program.later(() => program.prompts(acmeProject)[0], has(2), 'the follow-up');
  expect(await program.ask(beta, 'Fix the links')).toContain("isn't installed");
});

test('an old removal that arrives after a new installation leaves it alone (A2)', async () => {
  const removedAtMs = program.clock.now();
  await program.clock.advance(5 * MINUTES_MS);
  await program.install(acme);
  const late = {
    team_id: acme,
    event_time: Math.floor(removedAtMs / 1000),
    event: { type: 'app_uninstalled' },
  };
  expect(await program.slack.event(late)).toBe(200);
  await program.ask(acme, 'Fix the links');
  await program.card(acme, 'Fix the links');
});

test('right after an installation Slack is asked whether the token is good (A2)', async () => {
  const now = { team_id: acme, event: { type: 'app_uninstalled' } };
  expect(await program.slack.event(now)).toBe(200);
  expect(await program.ask(acme, 'list')).toContain('Fix the typos');
  program.slack.tokens.revoke(acme);
  expect(await program.slack.event(now)).toBe(200);
  expect(await program.ask(acme, 'list')).toContain("isn't installed");
});

test('tokens of people that were revoked are none of the program, those of the bot are (A2)', async () => {
  await program.clock.advance(5 * MINUTES_MS);
  const revoked = (tokens: object) =>
    program.slack.event({ team_id: acme, event: { type: 'tokens_revoked', tokens } });
  expect(await revoked({ oauth: ['U0ALICE'], bot: [] })).toBe(200);
  expect(await revoked({ oauth: [], bot: ['U0ANOTHER'] })).toBe(200);
  expect(await program.ask(acme, 'list')).toContain('Fix the typos');
  expect(await revoked({ bot: ['U0DOCSAGENT'] })).toBe(200);
  expect(await program.ask(acme, 'list')).toContain("isn't installed");
});

test('a removal without an event is an administrator’s matter: requests are kept (E2)', async () => {
  program.slack.tokens.revoke(acme);
  await program.slack.team(acme).control.reply(card, 'and the titles');
  program.agents.of(acmeProject).finish(jobId(), { status: 'completed' });
  await program.clock.advance(5 * MINUTES_MS);
  expect(program.log.join()).toContain('token_revoked');
  await program.install(acme);
  await program.later(thread, includes('Done, no pull request'), 'the end');
});
