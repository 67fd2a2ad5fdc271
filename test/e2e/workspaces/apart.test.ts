import { afterEach, beforeEach, expect, test } from 'vitest';
import { has, includes, present } from '../../support/is.ts';
import { alice, bob, general, type SlackMessage } from '../../support/local-slack.ts';
import {
  acme,
  acmeProject,
  beta,
  betaProject,
  startTeamsProgram,
  type TeamsProgram,
} from '../../support/slack-teams/program.ts';

let program: TeamsProgram;
beforeEach(async () => {
  program = await startTeamsProgram();
});
afterEach(() => program[Symbol.asyncDispose]());

const control = (team: string) => program.slack.team(team).control;
const idIn = (text: string) => /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text)?.[0] ?? 'no id';
const jobIdOf = async (team: string, prompt: string) => {
  await program.ask(team, prompt);
  await program.card(team, prompt);
  return idIn(await program.ask(team, 'list'));
};

/** The message with a button that names a job, as a forger would have it. */
function withButton(card: SlackMessage, action: string, jobId: string): SlackMessage {
  const value = JSON.stringify({ jobId, creates: 1, cards: 1, question: 1 });
  const button = { type: 'button', action_id: action, value, text: { type: 'plain_text', text: 'x' } };
  return { ...card, blocks: [{ type: 'actions', block_id: 'b', elements: [button] }] };
}

test('each workspace has its jobs with its own token, project and key, also of the same words (A2, S5)', async () => {
  await program.ask(acme, 'Fix the typos');
  expect(await program.ask(beta, 'Fix the typos')).not.toContain('another');
  await program.card(acme, 'Fix the typos');
  await program.card(beta, 'Fix the typos');
  await program.later(
    () => [...program.prompts(acmeProject), ...program.prompts(betaProject)],
    has(2),
    'both jobs',
  );
  expect(program.prompts(acmeProject)).toEqual([['Fix the typos']]);
  expect(program.prompts(betaProject)).toEqual([['Fix the typos']]);
  for (const { method, token, teamId } of program.slack.calls()) {
    if (teamId !== null) expect([method, token]).toEqual([method, expect.stringContaining(teamId)]);
  }
});

test('lists, the status and the home of one show nothing of the other (A2, L1, L2)', async () => {
  const id = await jobIdOf(acme, 'Fix the typos');
  expect(await program.ask(acme, 'list')).toContain('Fix the typos');
  expect(await program.ask(beta, 'list')).not.toContain('Fix the typos');
  expect(await program.ask(acme, `status ${id}`)).toContain('Fix the typos');
  expect(await program.ask(beta, `status ${id}`)).toContain("I can't find that job");
  await control(beta).openHome(alice);
  const home = () => JSON.stringify(control(beta).home(alice) ?? '');
  await program.later(home, includes('betadocs'), 'the home');
  expect(home()).not.toContain('Fix the typos');
});

test('a thread of the same channel and time is another thread in the other workspace (A2, F1)', async () => {
  await program.ask(acme, 'Fix the typos');
  const card = await program.card(acme, 'Fix the typos');
  await program.later(() => program.prompts(acmeProject).length, 1, 'the job');
  await control(beta).message({ channel: general, user: bob, text: 'and the links', threadTs: card.ts });
  await control(acme).message({ channel: general, user: bob, text: 'and the titles', threadTs: card.ts });
  await program.later(() => program.prompts(acmeProject)[0], has(2), 'the follow-up');
  expect(program.prompts(acmeProject)).toEqual([['Fix the typos', 'and the titles']]);
  expect(program.prompts(betaProject)).toEqual([]);
});

test('a mention at the same time in the same channel starts a job in each (A2, S5)', async () => {
  const mention = { channel: general, user: alice, text: '<@U0DOCSAGENT> Fix the titles' };
  const inAcme = await control(acme).message(mention);
  const inBeta = await control(beta).message(mention);
  expect(inAcme.ts).toBe(inBeta.ts);
  await program.later(
    () => [...program.prompts(acmeProject), ...program.prompts(betaProject)],
    has(2),
    'both jobs',
  );
});

test('a pull request of both is announced in the notice channel of each (A2, N1)', async () => {
  const settings = `{ projects: [docs], notice_channels: [${general}] }`;
  const text = `
projects: [{ id: ${acmeProject}, name: docs, api_key_env: ACME_KEY }]
workspaces: { ${acme}: ${settings}, ${beta}: ${settings} }
`;
  await program.restart({}, text);
  for (const team of [acme, beta]) await program.ask(team, 'Fix the typos');
  const jobs = () => program.agents.of(acmeProject).jobs;
  await program.later(() => jobs().length, 2, 'both jobs');
  const prLink = 'https://github.com/acme/docs/pull/7';
  for (const { id } of jobs()) program.agents.of(acmeProject).finish(id, { status: 'completed', prLink });
  for (const team of [acme, beta]) {
    const notices = async () =>
      (await control(team).messages(general)).filter(
        ({ text: shown, thread_ts: thread }) => thread === undefined && shown.includes('📝'),
      ).length;
    await program.later(notices, (count) => count >= 1, `the notice in ${team}`);
  }
});

test('a button or a form with a job of the other does nothing (A2)', async () => {
  const id = await jobIdOf(acme, 'Fix the typos');
  await program.ask(beta, 'Fix the links');
  const card = await program.card(beta, 'Fix the links');
  await program.later(() => program.prompts(acmeProject).length, 1, 'the job');
  const before = program.agents.of(acmeProject).requests.length;
  for (const action of ['follow_up', 'stop_watching', 'start_again', 'start_another', 'try_again']) {
    await control(beta).press(withButton(card, action, id), action, alice);
  }
  await program.clock.advance(10_000);
  const sent = program.agents
    .of(acmeProject)
    .requests.slice(before)
    .filter(({ method }) => method === 'POST');
  expect(sent).toEqual([]);
  expect(control(beta).modal(alice)).toBeNull();
  expect(await program.ask(acme, `status ${id}`)).not.toContain('not watched');
});

test('what may be done with a job of the other is not told either (A2, A1)', async () => {
  const id = await jobIdOf(acme, 'Fix the typos');
  await program.ask(beta, 'Fix the links');
  const card = await program.card(beta, 'Fix the links');
  await program.restart(
    {},
    `
projects: [{ id: ${betaProject}, name: betadocs, api_key_env: BETA_KEY }]
workspaces: { ${beta}: { projects: [betadocs], access: { channels: [C0RANDOM] } } }
`,
  );
  await control(beta).press(withButton(card, 'try_again', id), 'try_again', alice);
  await program.clock.advance(5_000);
  const told = (await control(beta).messages(general)).filter(({ text }) =>
    text.includes('use docs-agent here'),
  );
  expect(told).toEqual([]);
});

test('a form of one that names a job of the other is refused (A2)', async () => {
  const id = await jobIdOf(acme, 'Fix the typos');
  await program.ask(beta, 'Fix the links');
  const card = await program.card(beta, 'Fix the links');
  const job = await program.later(() => program.agents.of(betaProject).jobs[0], present, 'the job');
  program.agents.of(betaProject).finish(job?.id ?? '', { status: 'completed' });
  const end = await program.later(
    async () =>
      (await control(beta).thread(general, card.ts)).find(({ text }) =>
        text.includes('Done, no pull request'),
      ),
    present,
    'the end',
  );
  await control(beta).press(end ?? card, 'follow_up', alice);
  const view = await program.later(() => control(beta).modal(alice), present, 'the form');
  const forged = { ...JSON.parse(view?.private_metadata ?? '{}'), jobId: id };
  Object.assign(view ?? {}, { private_metadata: JSON.stringify(forged) });
  const { errors } = await control(beta).submit(alice, { prompt: 'delete everything' });
  expect(JSON.stringify(errors)).toMatch(/no longer stored/);
  expect(program.prompts(acmeProject).flat()).not.toContain('delete everything');
});

test('the settings of a channel hold in their workspace only (A2, L3)', async () => {
  await program.ask(acme, 'settings');
  await control(acme).submit(alice, { follow_up_mode: 'mentions' });
  for (const [team, mode] of [
    [acme, 'mentions'],
    [beta, 'every_reply'],
  ] as const) {
    await program.ask(team, 'settings');
    const values = control(team).modal(alice)?.state.values;
    expect(JSON.stringify(values?.follow_up_mode)).toContain(`"${mode}"`);
    await control(team).close(alice);
  }
});

test('a job whose project is taken from its workspace is not worked on, and goes on when it is given back (A2, E2)', async () => {
  await program.ask(acme, 'Fix the typos');
  const card = await program.card(acme, 'Fix the typos');
  await program.later(() => program.prompts(acmeProject).length, 1, 'the job');
  const text = (projects: string) => `
projects:
  - { id: ${acmeProject}, name: docs, api_key_env: ACME_KEY }
  - { id: ${betaProject}, name: betadocs, api_key_env: BETA_KEY }
workspaces: { ${acme}: { projects: [${projects}] } }
`;
  await program.restart({}, text('betadocs'));
  const before = program.agents.of(acmeProject).requests.length;
  await control(acme).message({ channel: general, user: bob, text: 'and the links', threadTs: card.ts });
  await program.later(
    async () => (await control(acme).thread(general, card.ts)).map((one) => one.text).join(),
    includes('administrator'),
    'that an administrator must act',
  );
  await program.clock.advance(60_000);
  expect(program.agents.of(acmeProject).requests.length).toBe(before);
  await program.restart({}, text('docs'));
  await program.later(() => program.prompts(acmeProject)[0]?.length, 2, 'the follow-up');
});
