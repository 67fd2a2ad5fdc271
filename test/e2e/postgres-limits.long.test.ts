import { describe, expect, onTestFinished, test } from 'vitest';
import { has } from '../support/is.ts';
import { alice, general } from '../support/local-slack.ts';
import { createLimitedDatabase, createTestDatabase, lockedJob, testServerUrl } from '../support/postgres.ts';
import { startStrictWorld } from './support/strict-world.ts';

if (testServerUrl === undefined) {
  describe.skip('a Postgres that gives little (skipped: to run it, set TEST_DATABASE_URL=postgres://user@host:5432/postgres)', () => {
    test('loses no request', () => {});
  });
} else {
  limitsSuite(testServerUrl);
}

const PROMPTS = Array.from({ length: 24 }, (_, index) => `Document part ${index} of the handbook`);

function limitsSuite(serverUrl: string): void {
  test('24 commands at once are each taken once where the role may have four connections', async () => {
    const database = await createLimitedDatabase(serverUrl, 4);
    onTestFinished(() => database.drop());
    await using world = await startStrictWorld({ settings: { DATABASE_URL: database.url } });
    const { slack, prompts, later } = world;
    // On a busy machine, some are asked to try again.
    const askUntilTaken = async (text: string): Promise<void> => {
      const { acknowledged, payload } = await slack.control.command({ channel: general, user: alice, text });
      if (!acknowledged || JSON.stringify(payload).includes('again')) await askUntilTaken(text);
    };
    await Promise.all(PROMPTS.map(askUntilTaken));
    await later(() => prompts().flat().toSorted(), has(PROMPTS.length), 'all jobs');
    expect(prompts().flat().toSorted()).toEqual(PROMPTS.toSorted());
  });

  test('a job whose row another session has locked holds up nothing else, is named, and goes on later', async () => {
    const database = await createTestDatabase(serverUrl);
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
    const asked = PROMPTS.slice(0, 8);
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
  });
}
