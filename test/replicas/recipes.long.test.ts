import { expect, test } from 'vitest';
import type { Service } from '../../src/app/service.ts';
import { general, random } from '../support/local-slack.ts';
import { signedHeaders } from '../support/signed-webhook.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { describeStrictReplicas, startStrictReplicas } from './support/strict-replicas.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const MINUTE_MS = 60_000;

const configFile = [
  'recipes:',
  `  - { name: often, channel: ${general}, request: Look, schedule: "* * * * *" }`,
  `  - { name: called, channel: ${general}, request: "Document {version}", webhook: { secret_env: HOOK_SECRET } }`,
  `digest: { channel: ${random}, schedule: "* * * * *" }`,
].join('\n');

describeStrictReplicas('schedules and webhooks, with two replicas (T3, L4)', () => {
  const startReplicas = () => startStrictReplicas(configFile, { HOOK_SECRET: SECRET });

  test('each moment starts one job, whichever replica is first', async () => {
    const { world } = await startReplicas();
    const cards = async () =>
      (await world.slack.control.messages(general)).filter(({ text }) => text.includes('recipe often'));
    for (const nth of [1, 2, 3]) {
      await world.later(
        () => world.api.jobs.length,
        (count) => count >= nth,
        `job ${nth}`,
      );
      const card = (await cards())[nth - 1];
      if (card === undefined) throw new Error(`there is no card ${nth}`);
      world.api.finish(world.api.jobs[nth - 1]?.id ?? '', { status: 'completed', prLink: null });
      await world.threadMessage(card, 'Done');
      expect(world.api.jobs.length).toBe((await cards()).length);
    }
    // One is in the way from here on.
    await world.clock.advance(3 * MINUTE_MS);
    expect(world.api.jobs.length).toBeLessThanOrEqual(4);
  });

  test('each moment has one digest, whichever replica is first', async () => {
    const { world } = await startReplicas();
    world.slack.control.invite(random, strictApp.botUserId);
    const digests = async () => (await world.slack.control.messages(random)).map(({ text }) => text);
    const minutes = () => Math.floor(world.clock.now() / MINUTE_MS);
    const minutesBefore = minutes();
    for (const _ of [1, 2, 3, 4]) {
      await world.settled(MINUTE_MS);
      await expect.poll(async () => (await digests()).length).toBe(minutes() - minutesBefore);
    }
  });

  test('a webhook that is called at both at the same time starts one job, and has one answer', async () => {
    const { world, replicas } = await startReplicas();
    const content = JSON.stringify({ values: { version: '2.1' } });
    const at = new Date(world.clock.now());
    const call = async ({ port }: Service) => {
      const response = await fetch(`http://127.0.0.1:${port}/hooks/called`, {
        method: 'POST',
        body: content,
        headers: signedHeaders(SECRET, 'release-2.1', at, content),
      });
      return [response.status, await response.text()];
    };
    const answers = await Promise.all([...replicas, ...replicas, ...replicas].map(call));
    expect(answers[0]).toEqual([202, expect.stringMatching(/^\{"job":"[0-9a-f-]+"\}\n$/)]);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    await world.started('Document "2.1"');
    await world.settled();
    expect(world.prompts().filter(([prompt]) => prompt === 'Document "2.1"')).toHaveLength(1);
  });
});
