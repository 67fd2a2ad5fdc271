import { describe, expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/app/config/config.ts';
import { createLogger } from '../../src/app/operations/logger.ts';
import { createService } from '../../src/app/service.ts';
import { botScopes } from '../../src/slack/protocol/scopes.ts';
import { type StrictWorld, startStrictWorld } from '../e2e/support/strict-world.ts';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';

const configFile = `channels: { ${general}: { reaction: memo } }`;

describe.skipIf(testServerUrl === undefined)('a message that is marked, with two replicas (T2)', () => {
  /** `world.service` is one replica; another runs beside it, with a connection to Slack of its own. */
  async function startReplicas(): Promise<StrictWorld> {
    const database = await createTestDatabase(testServerUrl ?? '');
    onTestFinished(() => database.drop());
    const world = await startStrictWorld({ configFile, settings: { DATABASE_URL: database.url } });
    onTestFinished(() => world[Symbol.asyncDispose]());
    const log = createLogger({ level: 'error', destination: { write: () => {} } });
    const beside = createService(
      parseConfig(world.env, () => configFile),
      { clock: world.clock, log },
    );
    await beside.start();
    onTestFinished(() => beside.stop());
    world.slack.control.grantScopes([...botScopes.map(({ name }) => name), 'reactions:read']);
    return world;
  }

  const drafts = async ({ slack }: StrictWorld, { ts }: SlackMessage) =>
    (await slack.control.thread(general, ts)).filter(({ text }) => text.includes('*Draft*'));

  test.each([1, 2, 3, 4])(
    'has one draft, which starts once, with each thing delivered %i times',
    async (times) => {
      const world = await startReplicas();
      const { control } = world.slack;
      world.slack.onDelivery(() => times);
      const message = await control.message({ channel: general, user: bob, text: 'The limits are wrong' });
      await Promise.all([alice, bob].map((user) => control.react(message, 'memo', user)));
      const [draft] = await world.later(
        () => drafts(world, message),
        ({ length }) => length > 0,
        'a draft',
      );
      if (draft === undefined) throw new Error('there is no draft');
      await Promise.all([alice, bob].map((user) => control.press(draft, 'start_draft', user)));
      await world.restart();
      await world.later(
        async () => world.prompts(),
        ({ length }) => length > 0,
        'a job',
      );
      await world.settled(10_000);
      expect(world.prompts()).toHaveLength(1);
      expect(await drafts(world, message)).toHaveLength(1);
    },
  );

  test('loses its draft once with its last mark, and has one more with the next', async () => {
    const world = await startReplicas();
    const { control } = world.slack;
    world.slack.onDelivery(() => 4);
    const message = await control.message({ channel: general, user: bob, text: 'The limits are wrong' });
    for (const change of ['react', 'unreact', 'react'] as const) {
      await control[change](message, 'memo', alice);
      await world.later(
        async () => (await drafts(world, message)).at(-1)?.text.includes('[Start]') ?? false,
        (isOpen) => isOpen === (change === 'react'),
        `the draft after ${change}`,
      );
    }
    const texts = (await drafts(world, message)).map(({ text }) => text);
    expect(texts.map((text) => text.includes('[Start]'))).toEqual([false, true]);
    expect(texts[0]).toContain('Withdrawn by alice');
  });
});
