import { expect, test } from 'vitest';
import { botScopes } from '../../src/slack/protocol/scopes.ts';
import type { StrictWorld } from '../e2e/support/strict-world.ts';
import { alice, bob, general, type SlackMessage } from '../support/local-slack.ts';
import { describeStrictReplicas, startStrictReplicas } from './support/strict-replicas.ts';

const configFile = `channels: { ${general}: { reaction: memo } }`;

describeStrictReplicas('a message that is marked, with two replicas (T2)', () => {
  async function startReplicas(): Promise<StrictWorld> {
    const { world } = await startStrictReplicas(configFile);
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
