import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ModelWorld, startModelWorld } from '../model/support/model-world.ts';
import { quickenPauses } from '../model/support/quick-pauses.ts';
import { alice, bob, general } from '../support/local-slack.ts';
import { createTestDatabase, type TestDatabase, testServerUrl } from '../support/postgres.ts';

describe.skipIf(testServerUrl === undefined)('two replicas, to which Slack talks in turn', () => {
  let database: TestDatabase;
  let world: ModelWorld;
  let pauses: Disposable;

  beforeEach(async () => {
    pauses = quickenPauses();
    database = await createTestDatabase(testServerUrl ?? '');
    world = await startModelWorld({
      mode: 'http',
      replicas: 2,
      script: () => ({ workMs: 60_000, ending: 'no_change' }),
      settings: { DATABASE_URL: database.url },
    });
    await world.replicas.start();
  });
  afterEach(async () => {
    await world[Symbol.asyncDispose]();
    await database.drop();
    pauses[Symbol.dispose]();
  });

  const command = (text: string, user = alice) =>
    world.slack.control.command({ channel: general, user, text });
  const prompts = async () => {
    await world.time.pass(10_000);
    return world.api.jobs.map((job) => job.prompts[0]);
  };

  test('start one job of the same words at the same moment, and ask about the other (S5)', async () => {
    const answers = await Promise.all([command('Fix the typos'), command('Fix the typos')]);
    expect(answers.map(({ payload }) => payload)).toContainEqual(
      expect.objectContaining({ text: expect.stringContaining('You asked for this') }),
    );
    expect(await prompts()).toEqual(['Fix the typos']);
  });

  test('start one job of a mention that both get, more than once (S5)', async () => {
    world.slack.onDelivery(() => 4);
    await world.slack.control.message({
      channel: general,
      user: alice,
      text: '<@U0DOCSAGENT> Fix the typos',
    });
    expect(await prompts()).toEqual(['Fix the typos']);
  });

  test('watch a job once, though two people ask for it at the same moment (W5)', async () => {
    // The agent cannot be asked whether it has the job.
    world.troubles.agentOutage = { status: 401 };
    await Promise.all([command('watch job_1'), command('watch job_1', bob)]);
    await prompts();
    const cards = (await world.slack.control.messages(general)).filter(({ text }) =>
      text.includes('*Agent job'),
    );
    expect(cards).toHaveLength(1);
  });
});
