import { describe, expect, test } from 'vitest';
import { present } from '../support/is.ts';
import { alice, bob, type SlackMessage } from '../support/local-slack.ts';
import { type Program, startProgram } from '../support/strict-slack/program.ts';
import { waitFor } from '../support/wait-for.ts';

const prompts = (program: Program) => program.api.jobs.map((job) => job.prompts);

const open = (program: Program, user: string) =>
  waitFor(() => program.slack.control.modal(user), present, { what: 'the form' });

async function refused(program: Program): Promise<{ card: SlackMessage; offer: SlackMessage }> {
  program.api.failNext('create', { status: 400, body: '{"error":"too vague"}' });
  const card = await program.ask('Improve all our docs');
  return { card, offer: await program.threadMessage(card, 'Not accepted') };
}

describe('*Edit and start*', () => {
  test('starts the job in its thread with the new request, which the card shows, and says who edited it', async () => {
    await using program = await startProgram();
    const { control } = program.slack;
    const { card, offer } = await refused(program);
    expect(offer.text).toContain(
      `<@${alice}> *Not accepted.* The agent says:\n“too vague”\n[Edit and start]`,
    );
    await control.press(offer, 'edit_and_start', bob);
    expect(JSON.stringify(await open(program, bob))).toContain('"initial_value":"Improve all our docs"');
    expect((await control.submit(bob, { prompt: '\u200b' })).errors?.prompt).toBeDefined();
    expect((await control.submit(bob, { prompt: 'Improve <!channel> & the *index*' })).errors).toBeNull();
    const told = await program.threadMessage(card, 'edited the request and started it');
    expect(told.ts).toBe(offer.ts);
    expect(told.text).not.toContain('[Edit and start]');
    expect(prompts(program)).toEqual([['Improve <!channel> & the *index*']]);
    expect((await program.shows(card, 'Improve &lt;!channel&gt;')).text).toContain('alice');
  });

  test('pressed when it was edited already, says so and opens no form', async () => {
    await using program = await startProgram();
    const { control } = program.slack;
    const { card, offer } = await refused(program);
    await control.press(offer, 'edit_and_start', alice);
    await open(program, alice);
    expect((await control.submit(alice, { prompt: 'Improve the index' })).errors).toBeNull();
    await control.press(offer, 'edit_and_start', bob);
    expect((await program.threadMessage(card, 'Already done')).text).toBe(
      'Already done: alice edited the request and started it.',
    );
    expect(control.modal(bob)).toBeNull();
  });

  test('of two forms the first counts, and the other is told so at its field', async () => {
    await using program = await startProgram();
    const { control } = program.slack;
    const { offer } = await refused(program);
    for (const user of [alice, bob]) {
      await control.press(offer, 'edit_and_start', user);
      await open(program, user);
    }
    program.slack.onDelivery(() => 3);
    expect((await control.submit(alice, { prompt: 'Improve the index' })).errors).toBeNull();
    program.slack.onDelivery(() => 1);
    const { errors } = await control.submit(bob, { prompt: 'Improve the API' });
    expect(errors?.prompt).toBe('Already done: alice edited the request and started it.');
    await program.clock.advance(10_000);
    expect(prompts(program)).toEqual([['Improve the index']]);
  });
});

describe('*I found the job…*', () => {
  async function unclear(program: Program) {
    program.api.failNext('create', { status: 500 });
    const card = await program.ask('Add a quickstart');
    const offer = await program.threadMessage(card, "Couldn't confirm the start");
    expect(offer.text).toContain('[Start again] [I found the job…] [Dismiss]');
    return { card, offer };
  }
  const elsewhere = async (program: Program) => {
    const path = '/v2/agent/acme-docs/job';
    const answer = await fetch(`${program.api.baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer test-key', 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'Add a quickstart' }),
    });
    return String(((await answer.json()) as { id: string }).id);
  };

  test('goes on with the job that the person names, and refuses what the agent does not have', async () => {
    await using program = await startProgram();
    const { control } = program.slack;
    const { card, offer } = await unclear(program);
    const id = await elsewhere(program);
    await control.press(offer, 'watch_agent_job', bob);
    await open(program, bob);
    expect((await control.submit(bob, { agent_job: 'job_nowhere' })).errors?.agent_job).toContain(
      'job_nowhere',
    );
    expect((await control.submit(bob, { agent_job: ` ${id} ` })).errors).toBeNull();
    await program.threadMessage(card, "bob found it; I'm watching that job now");
    await control.reply(card, 'Use the CLI', alice);
    await program.later(
      () => prompts(program),
      (all) => all[0]?.length === 2,
      'the reply to reach that job',
    );
    expect(prompts(program)).toEqual([['Add a quickstart', 'Use the CLI']]);
    await control.press(offer, 'start_again', alice);
    await program.clock.advance(10_000);
    expect(program.api.jobs).toHaveLength(1);
  });

  test('pressed when it was started again already, says so and opens no form', async () => {
    await using program = await startProgram();
    const { control } = program.slack;
    const { card, offer } = await unclear(program);
    await control.press(offer, 'start_again', alice);
    await control.press(offer, 'watch_agent_job', bob);
    expect((await program.threadMessage(card, 'Already done')).text).toBe(
      'Already done: alice started it again.',
    );
    expect(control.modal(bob)).toBeNull();
  });

  test('of a job that another thread watches settles the start, and says where that is', async () => {
    await using program = await startProgram();
    const { control } = program.slack;
    const first = await program.ask('Describe the errors');
    await program.later(() => program.api.jobs.length, 1, 'the job');
    await program.threadMessage(first, '⚙️');
    const { card, offer } = await unclear(program);
    await control.press(offer, 'watch_agent_job', alice);
    await open(program, alice);
    const { errors } = await control.submit(alice, { agent_job: program.api.jobs[0]?.id ?? '' });
    expect(errors).toBeNull();
    const settled = await program.threadMessage(card, "That's #1, watched in");
    expect(settled).toMatchObject({ ts: offer.ts });
    expect(settled.text).toContain(`/p${first.ts.replace('.', '')}|its thread>. Closed here.`);
    expect(settled.text).not.toContain('[Dismiss]');
    expect((await program.shows(card, 'Dismissed')).text).toContain('⚪ *Dismissed* by alice\n[Details]');
  });

  test('*Dismiss* settles the start: the card says who did it, and the thread is free', async () => {
    await using program = await startProgram();
    const { control } = program.slack;
    const { card, offer } = await unclear(program);
    await control.press(offer, 'dismiss_start', bob);
    const settled = await program.threadMessage(card, 'Dismissed by bob');
    expect(settled.ts).toBe(offer.ts);
    expect((await program.shows(card, 'Dismissed')).text).toContain('⚪ *Dismissed* by bob\n[Details]');
    await control.press(offer, 'start_again', alice);
    await program.threadMessage(card, 'Already done: Dismissed by bob.');
    await control.reply(card, 'Use the CLI', alice);
    await program.clock.advance(60_000);
    expect(program.api.jobs).toHaveLength(0);
  });

  test('*Resolve…* on the card has the same three choices in one form', async () => {
    await using program = await startProgram();
    const { control } = program.slack;
    const { card } = await unclear(program);
    await program.shows(card, '[Resolve…] [Details]');
    await control.press(card, 'resolve_start', bob);
    const form = JSON.stringify(await open(program, bob));
    expect(form).toContain('"start_again"');
    expect(form).toContain('Start it a second time?');
    expect(form).toContain('"agent_job"');
    await control.pressInView(bob, 'dismiss_start');
    expect((await program.shows(card, 'Dismissed')).text).toContain('⚪ *Dismissed* by bob');
    expect(JSON.stringify(control.modal(bob))).toContain('Dismissed');
  });
});
