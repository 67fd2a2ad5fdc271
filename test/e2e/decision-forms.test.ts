import { describe, expect, test } from 'vitest';
import { alice, bob } from '../support/local-slack.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

describe('*Edit and start*', () => {
  async function refused(world: StrictWorld) {
    world.api.failNext('create', { status: 400, body: '{"error":"too vague"}' });
    const card = await world.ask('Improve all our docs');
    return { card, offer: await world.threadMessage(card, 'Not accepted') };
  }

  test('starts the job in its thread with the new request, which the card shows, and says who edited it, once', async () => {
    await using world = await startStrictWorld();
    const { control } = world.slack;
    const { card, offer } = await refused(world);
    expect(offer.text).toContain(
      `<@${alice}> *Not accepted.* The agent says:\n“too vague”\n[Edit and start]`,
    );
    await control.press(offer, 'edit_and_start', bob);
    await world.formShows('"initial_value":"Improve all our docs"', bob);
    expect(await world.submit({ prompt: '\u200b' }, bob)).toHaveProperty('prompt');
    expect(await world.submit({ prompt: 'Improve <!channel> & the *index*' }, bob)).toBeNull();
    const told = await world.threadMessage(card, 'edited the request and started it');
    expect(told.ts).toBe(offer.ts);
    expect(told.text).not.toContain('[Edit and start]');
    expect(world.prompts()).toEqual([['Improve <!channel> & the *index*']]);
    expect((await world.shows(card, 'Improve &lt;!channel&gt;')).text).toContain('alice');
    await control.press(offer, 'edit_and_start', alice);
    expect((await world.threadMessage(card, 'Already done')).text).toBe(
      'Already done: bob edited the request and started it.',
    );
    expect(world.form()).toBe('');
  });

  test('of two forms the first counts, and the other is told so at its field', async () => {
    await using world = await startStrictWorld();
    const { offer } = await refused(world);
    for (const user of [alice, bob]) {
      await world.slack.control.press(offer, 'edit_and_start', user);
      await world.formShows('prompt', user);
    }
    world.slack.onDelivery(() => 3);
    expect(await world.submit({ prompt: 'Improve the index' })).toBeNull();
    world.slack.onDelivery(() => 1);
    expect((await world.submit({ prompt: 'Improve the API' }, bob))?.prompt).toBe(
      'Already done: alice edited the request and started it.',
    );
    await world.clock.advance(10_000);
    expect(world.prompts()).toEqual([['Improve the index']]);
  });
});

describe('*I found the job…*', () => {
  async function unclear(world: StrictWorld) {
    world.api.failNext('create', { status: 500 });
    const card = await world.ask('Add a quickstart');
    const offer = await world.threadMessage(card, "Couldn't confirm the start");
    expect(offer.text).toContain('[Start again] [I found the job…] [Dismiss]');
    return { card, offer };
  }

  test('goes on with the job that the person names, and refuses what the agent does not have', async () => {
    await using world = await startStrictWorld();
    const { control } = world.slack;
    const { card, offer } = await unclear(world);
    const answer = await fetch(`${world.api.baseUrl}/v2/agent/acme-docs/job`, {
      method: 'POST',
      headers: { authorization: 'Bearer test-key', 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'Add a quickstart' }),
    });
    const { id } = (await answer.json()) as { id: string };
    await control.press(offer, 'watch_agent_job', bob);
    await world.formShows('agent_job', bob);
    expect((await world.submit({ agent_job: 'job_nowhere' }, bob))?.agent_job).toContain('job_nowhere');
    expect(await world.submit({ agent_job: ` ${id} ` }, bob)).toBeNull();
    await world.threadMessage(card, "bob found it; I'm watching that job now");
    await control.reply(card, 'Use the CLI', alice);
    await control.press(offer, 'start_again', alice);
    await world.clock.advance(20_000);
    expect(world.prompts()).toEqual([['Add a quickstart', 'Use the CLI']]);
  });

  test('of a job that another thread watches settles the start; one that was started again opens no form', async () => {
    await using world = await startStrictWorld();
    const { control } = world.slack;
    const first = await world.working('Describe the errors');
    const { card, offer } = await unclear(world);
    await control.press(offer, 'watch_agent_job', alice);
    await world.formShows('agent_job');
    expect(await world.submit({ agent_job: world.api.jobs[0]?.id ?? '' })).toBeNull();
    const settled = await world.threadMessage(card, "That's #1, watched in");
    expect(settled).toMatchObject({ ts: offer.ts });
    expect(settled.text).toContain(`/p${first.ts.replace('.', '')}|its thread>. Closed here.`);
    expect(settled.text).not.toContain('[Dismiss]');
    expect((await world.shows(card, 'Dismissed')).text).toContain('⚪ *Dismissed* by alice\n[Details]');

    world.api.failNext('create', { status: 500 });
    const other = await world.ask('Add a glossary');
    const again = await world.threadMessage(other, "Couldn't confirm the start");
    await control.press(again, 'start_again', alice);
    await control.press(again, 'watch_agent_job', bob);
    await world.threadMessage(other, 'Already done: alice started it again.');
    expect(world.form(bob)).toBe('');
  });

  test('*Resolve…* on the card has the same three choices in one form; *Dismiss* frees the thread', async () => {
    await using world = await startStrictWorld();
    const { control } = world.slack;
    const { card, offer } = await unclear(world);
    await control.press(await world.shows(card, '[Resolve…] [Details]'), 'resolve_start', bob);
    const form = await world.formShows('"start_again"', bob);
    for (const words of ['Start it a second time?', '"agent_job"']) expect(form).toContain(words);
    await control.pressInView(bob, 'dismiss_start');
    expect((await world.threadMessage(card, 'Dismissed by bob')).ts).toBe(offer.ts);
    expect((await world.shows(card, 'Dismissed')).text).toContain('⚪ *Dismissed* by bob\n[Details]');
    await world.formShows('Dismissed', bob);
    await control.press(offer, 'start_again', alice);
    await world.threadMessage(card, 'Already done: Dismissed by bob.');
    await control.reply(card, 'Use the CLI', alice);
    await world.clock.advance(60_000);
    expect(world.api.jobs).toHaveLength(0);
  });
});
