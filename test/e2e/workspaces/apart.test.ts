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

test('each workspace has its jobs, threads, lists and settings with its own token, project and key, also of the same words at the same time in the same channel (A2, S5, F1, L1, L2, L3)', async () => {
  await program.ask(acme, 'Fix the typos');
  expect(await program.ask(beta, 'Fix the typos')).not.toContain('another');
  for (const team of [acme, beta]) await program.card(team, 'Fix the typos');
  const prompts = () => [...program.prompts(acmeProject), ...program.prompts(betaProject)];
  await program.later(prompts, has(2), 'both jobs');
  expect(program.prompts(betaProject)).toEqual([['Fix the typos']]);

  const mention = { channel: general, user: alice, text: '<@U0DOCSAGENT> Fix the images' };
  expect((await control(acme).message(mention)).ts).toBe((await control(beta).message(mention)).ts);
  await program.later(prompts, has(4), 'a job for each mention');
  expect(program.prompts(acmeProject)).toEqual([['Fix the typos'], ['Fix the images']]);
  expect(program.prompts(betaProject)).toEqual([['Fix the typos'], ['Fix the images']]);

  const id = await jobIdOf(acme, 'Only for acme');
  // A thread of the same channel and time is another thread in the other workspace.
  const { ts: threadTs } = await program.card(acme, 'Only for acme');
  await control(beta).message({ channel: general, user: bob, text: 'and the links', threadTs });
  await control(acme).message({ channel: general, user: bob, text: 'and the titles', threadTs });
  await program.later(() => program.prompts(acmeProject)[2], has(2), 'the follow-up');
  expect(program.prompts(acmeProject)[2]).toEqual(['Only for acme', 'and the titles']);
  expect(program.prompts(betaProject).flat()).not.toContain('and the links');
  expect(await program.ask(beta, 'list')).not.toContain('Only for acme');
  expect(await program.ask(acme, `status ${id}`)).toContain('Only for acme');
  expect(await program.ask(beta, `status ${id}`)).toContain("I can't find that job");
  await control(beta).openHome(alice);
  const home = () => JSON.stringify(control(beta).home(alice) ?? '');
  await program.later(home, includes('betadocs'), 'the home');
  expect(home()).not.toContain('Only for acme');

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
  for (const { method, token, teamId } of program.slack.calls()) {
    if (teamId !== null) expect([method, token]).toEqual([method, expect.stringContaining(teamId)]);
  }
});

test('a pull request of both is announced in the notice channel of each (A2, N1)', async () => {
  const settings = `{ projects: [docs], notice_channels: [${general}] }`;
  const text = `
projects: [{ id: ${acmeProject}, name: docs, api_key_env: ACME_KEY }]
workspaces: { ${acme}: ${settings}, ${beta}: ${settings} }
`;
  await program.restart({}, text);
  for (const team of [acme, beta]) await program.ask(team, 'Fix the typos');
  const jobs = () => program.jobs(acmeProject);
  await program.later(() => jobs().length, 2, 'both jobs');
  const prLink = 'https://github.com/acme/docs/pull/7';
  for (const { id } of jobs()) program.api.finish(id, { status: 'completed', prLink });
  for (const team of [acme, beta]) {
    const notices = async () =>
      (await control(team).messages(general)).filter(
        ({ text: shown, thread_ts: thread }) => thread === undefined && shown.includes('📝'),
      ).length;
    await program.later(notices, (count) => count >= 1, `the notice in ${team}`);
  }
});

test('a button or a form of one that names a job of the other does nothing, and tells nothing of it (A2, A1)', async () => {
  const id = await jobIdOf(acme, 'Fix the typos');
  await program.ask(beta, 'Fix the links');
  const card = await program.card(beta, 'Fix the links');
  await program.later(() => program.jobs(betaProject).length, 1, 'the job');
  const writes = () => program.requests(acmeProject).filter(({ method }) => method === 'POST').length;
  const before = writes();
  for (const action of ['follow_up', 'stop_watching', 'start_again', 'start_another', 'try_again']) {
    await control(beta).press(withButton(card, action, id), action, alice);
  }
  await program.clock.advance(10_000);
  expect(control(beta).modal(alice)).toBeNull();
  expect(await program.ask(acme, `status ${id}`)).not.toContain('not watched');

  program.api.finish(program.jobs(betaProject)[0]?.id ?? '', { status: 'completed' });
  const thread = () => control(beta).thread(general, card.ts);
  const findEnd = async () => (await thread()).find(({ text }) => text.includes('Done, no pull request'));
  const end = await program.later(findEnd, present, 'the end');
  await control(beta).press(end ?? card, 'follow_up', alice);
  const view = await program.later(() => control(beta).modal(alice), present, 'the form');
  const forged = { ...JSON.parse(view?.private_metadata ?? '{}'), jobId: id };
  Object.assign(view ?? {}, { private_metadata: JSON.stringify(forged) });
  const { errors } = await control(beta).submit(alice, { prompt: 'delete everything' });
  expect(JSON.stringify(errors)).toMatch(/no longer stored/);
  expect(writes()).toBe(before);

  await program.restart(
    {},
    `
projects: [{ id: ${betaProject}, name: betadocs, api_key_env: BETA_KEY }]
workspaces: { ${beta}: { projects: [betadocs], access: { channels: [C0RANDOM] } } }
`,
  );
  await control(beta).press(withButton(card, 'try_again', id), 'try_again', alice);
  await program.clock.advance(5_000);
  const told = await control(beta).messages(general);
  expect(told.filter(({ text }) => text.includes('use docs-agent here'))).toEqual([]);
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
  const before = program.requests(acmeProject).length;
  await control(acme).message({ channel: general, user: bob, text: 'and the links', threadTs: card.ts });
  await program.later(
    async () => (await control(acme).thread(general, card.ts)).map((one) => one.text).join(),
    includes('administrator'),
    'that an administrator must act',
  );
  await program.clock.advance(60_000);
  expect(program.requests(acmeProject).length).toBe(before);
  await program.restart({}, text('docs'));
  await program.later(() => program.prompts(acmeProject)[0]?.length, 2, 'the follow-up');
});
