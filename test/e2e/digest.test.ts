import { expect, test } from 'vitest';
import { some } from '../support/is.ts';
import { alice, general } from '../support/local-slack.ts';
import { startStrictWorld } from './support/strict-world.ts';

const DAY_MS = 86_400_000;

test('once a week the channel is told what became of the requests; a downtime is caught up with once; without the bot in its channel it is given up (L4)', async () => {
  await using world = await startStrictWorld({
    configFile: `projects: [{ id: acme-docs }]\ndigest: { channel: ${general}, schedule: "0 9 * * 1", zone: Europe/Berlin }`,
  });
  const digests = async () =>
    (await world.slack.control.messages(general)).filter(({ text }) => text.includes('📊 *docs-agent*'));
  const posted = async (count: number) => {
    await world.later(async () => (await digests()).length >= count, true, `digest ${count}`);
    await world.settled(60_000);
    expect(await digests()).toHaveLength(count);
  };
  const away = async (days: number) => {
    await world.service.stop();
    await world.clock.advance(days * DAY_MS);
    await world.restart();
  };
  await world.ask('Document the rate limits');
  await world.settled();
  expect(await digests()).toEqual([]);
  await away(20);
  await posted(1);
  const [first] = await digests();
  expect(first?.text).toContain('*1 request* → ');
  expect(first?.text).not.toContain(alice);
  await world.restart();
  // A post that is not answered is not made twice.
  const left: 'reset_after'[] = ['reset_after'];
  world.slack.onCall(({ method }) => (method === 'chat.postMessage' ? (left.shift() ?? null) : null));
  await away(7);
  await posted(2);
  expect(left).toEqual([]);
  world.slack.control.remove(general, 'U0DOCSAGENT');
  await away(7);
  const lost = () => world.log.filter((line) => line.includes('"event":"digest_not_posted"'));
  await world.later(lost, some, 'the log');
});
