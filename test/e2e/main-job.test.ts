import { describe, expect, test } from 'vitest';
import { has, includes, some } from '../support/is.ts';
import { alice, random } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { startProgram } from '../support/strict-slack/program.ts';
import { receipt } from './support/posts.ts';

const PR = 'https://github.com/acme/docs/pull/1';

describe.each(['socket', 'http'] as const)('the main job, over %s', (mode) => {
  test('a request becomes a card, a job, and a pull request that is announced once; replies are follow-ups with receipts, and turns of their own (S1, W2, W3, N1, F1, F6)', async () => {
    await using program = await startProgram({
      mode,
      settings: { NOTICE_CHANNELS: random },
      // After the third message, the old status lingers.
      script: (_prompt, turn) =>
        turn === 3
          ? { workMs: 10_000, lagMs: 20_000, ending: 'pull_request' }
          : { workMs: 0, ending: 'manual' },
    });
    const { api, clock, later } = program;
    const { control } = program.slack;
    control.invite(random, strictApp.botUserId);
    const prompts = () => api.jobs.map((job) => job.prompts);
    const card = await program.ask('Add a quickstart');
    expect(card.text).toContain('asked by alice');
    await program.threadMessage(card, 'On it');
    expect(prompts()).toEqual([['Add a quickstart']]);

    const reply = await control.reply(card, 'Mention the CLI &amp; the API');
    await receipt(control, reply, 'eyes');
    await clock.advance(4_000);
    await receipt(control, reply, 'white_check_mark');
    expect(prompts()).toEqual([['Add a quickstart', 'Mention the CLI & the API']]);

    api.finish(0, { status: 'completed', prLink: PR });
    expect((await program.threadMessage(card, '🎉')).text).toContain(`<@${alice}>`);
    expect((await program.shows(card, 'Pull request ready')).text).toContain(PR);
    const notices = await later(() => control.messages(random), some, 'the notice');
    expect(notices[0]?.text).toContain(PR);

    await control.reply(card, 'One more thing');
    await later(() => api.counts.message, 2, 'the follow-up');
    await clock.advance(15_000);
    expect(await program.posts(card, 'Updated')).toHaveLength(0);
    await program.threadMessage(card, 'Updated');

    // Nobody listens, and Slack gives up.
    await program.service.stop();
    for (const text of ['First missed', 'Second missed']) await control.reply(card, text);
    await clock.advance(3_600_000);
    await program.restart();
    await program.threadMessage(card, 'Picked up 2 replies');
    await later(() => prompts()[0] ?? [], includes('First missed\n\nSecond missed'), 'what was missed');
    await program.restart();
    await clock.advance(60_000);
    expect(prompts()[0]).toSatisfy(has(4));
    expect(await program.posts(card, '🎉')).toHaveLength(1);
    expect(await control.messages(random)).toHaveLength(1);
    expect(api.counts).toMatchObject({ create: 1, message: 3 });
  });
});
