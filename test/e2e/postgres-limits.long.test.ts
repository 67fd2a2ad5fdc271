import { expect, onTestFinished, test } from 'vitest';
import { alice, general } from '../support/local-slack.ts';
import { createTestDatabase, lockedJob, testServerUrl } from '../support/postgres.ts';
import { startStrictWorld } from './support/strict-world.ts';

test.skipIf(testServerUrl === undefined)(
  'a job whose row another session has locked holds up nothing else, is named, and goes on later',
  async () => {
    const database = await createTestDatabase(testServerUrl ?? '');
    onTestFinished(() => database.drop());
    await using world = await startStrictWorld({
      settings: { DATABASE_URL: database.url, SETTLE_WINDOW: '0' },
    });
    const { slack, prompts, later, api, threadMessage } = world;
    const held = await world.ask('Add a quickstart');
    await threadMessage(held, 'On it');
    const other = await world.ask('Add a glossary');
    await threadMessage(other, 'On it');
    const [job] = await database.query(`select id from job where data like '%quickstart%'`);
    const { release } = await lockedJob(database.url, String(job?.id));

    // More than there are connections, and all of them need the locked row.
    const replies = Array.from({ length: 12 }, (_, index) => `Mention part ${index}`);
    for (const text of replies) {
      void slack.control.reply(held, text);
    }
    for (const { id } of api.jobs) {
      api.finish(id, { status: 'completed', prLink: `https://github.com/acme/docs/pull/${id}` });
    }
    await threadMessage(other, '🎉');
    const asked = Array.from({ length: 8 }, (_, index) => `Document part ${index} of the handbook`);
    await Promise.all(asked.map((text) => slack.control.command({ channel: general, user: alice, text })));
    await later(
      () => prompts().flat(),
      (given) => asked.every((prompt) => given.includes(prompt)),
      'all jobs that were asked for meanwhile',
    );
    const { healthPort } = world.service;
    const warnings = async () =>
      JSON.stringify(await (await fetch(`http://127.0.0.1:${healthPort}/readyz`)).json());
    await expect
      .poll(warnings)
      .toMatch(/"ok":true.*"warnings":\["session \d+ \(psql, idle in transaction\) has kept rows of .+job/);
    expect(prompts().find(([first]) => first === 'Add a quickstart')).toHaveLength(1);

    await release();
    await later(
      () => prompts().find(([first]) => first === 'Add a quickstart') ?? [],
      (given) => replies.every((text) => given.slice(1).some((sent) => sent.includes(text))),
      'the replies to reach the agent',
    );
    await threadMessage(held, '🎉');
    const sent = prompts().find(([first]) => first === 'Add a quickstart') ?? [];
    for (const text of replies) {
      expect(
        sent.filter((prompt) => prompt.split('\n').includes(text)),
        text,
      ).toHaveLength(1);
    }
  },
);
