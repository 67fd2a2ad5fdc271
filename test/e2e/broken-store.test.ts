import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buttons } from '../../src/slack/views/buttons.ts';
import { beside } from '../support/beside.ts';
import { alice, general } from '../support/local-slack.ts';
import { startProgram } from '../support/strict-slack/program.ts';

const TABLES = [
  ['inbound_request', 'insert'],
  ['job', 'insert'],
  ['job', 'update'],
] as const;

test.each(['http', 'socket'] as const)(
  'over %s, what cannot be stored is not accepted, and works when it is sent again (S1, S5, F1)',
  async (mode) => {
    await using program = await startProgram({ mode });
    const { api, clock, later } = program;
    const { control } = program.slack;
    api.failNext('create', { status: 500 });
    const card = await program.ask('Add a quickstart');
    const offer = await program.threadMessage(card, "Couldn't confirm the start");
    await clock.advance(1_000);

    // From another connection: the store refuses all requests and jobs until it is mended.
    const file = beside(join(program.env.DATA_DIR ?? '', 'docs-agent.db'));
    for (const [table, change] of TABLES) {
      await file.execute(`create trigger broken_${table}_${change} before ${change} on ${table}
      begin select raise(abort, 'the disk is broken'); end`);
    }
    const command = () => control.command({ channel: general, user: alice, text: 'Not stored' });
    const saysSo = { text: expect.stringContaining('save that') };
    expect(await command()).toMatchObject({ acknowledged: true, payload: saysSo });
    const refusals = () => program.log.filter((line) => line.includes('the disk is broken')).length;
    const before = refusals();
    const replying = control.reply(card, 'Kept');
    await expect.poll(refusals, { message: 'the reply to be refused' }).toBeGreaterThan(before);
    const press = () => control.press(offer, buttons.startAgain.id, alice);
    const pressing = press();
    const told = async () =>
      (await control.messages(general)).filter(
        ({ ephemeral_to, text }) => ephemeral_to === alice && text.includes('save that'),
      ).length;
    // Of the command, and of the press.
    await later(told, 2, 'the private answers');
    await clock.advance(10_000);
    expect((await pressing).acknowledged).toBe(false);
    const reply = await replying;
    const isAcknowledged = () =>
      program.slack
        .deliveries()
        .some(
          ({ payload, acknowledgedAtMs: atMs }) => atMs !== null && JSON.stringify(payload).includes('Kept'),
        );
    expect(isAcknowledged()).toBe(false);
    expect(api.counts).toMatchObject({ create: 1, message: 0 });

    for (const [table, change] of TABLES) await file.execute(`drop trigger broken_${table}_${change}`);
    file.close();
    expect(await command()).not.toMatchObject({ payload: saysSo });
    expect((await press()).acknowledged).toBe(true);
    await program.threadMessage(card, 'On it');
    // Slack sends the reply again after a minute.
    await later(() => control.reactions(reply), ['white_check_mark'], 'the receipt "accepted"');
    await later(() => api.jobs.length, 2, 'both jobs');
    await later(isAcknowledged, true, 'the reply to be acknowledged');
    await clock.advance(60_000);
    expect(api.jobs.map((job) => job.prompts).toSorted()).toEqual([
      ['Add a quickstart', 'Kept'],
      ['Not stored'],
    ]);
  },
);
