import { expect, test } from 'vitest';
import { alice, general, random } from '../support/local-slack.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const DAY_MS = 86_400_000;
const configFile = [
  'projects: [{ id: acme-docs }]',
  `digest: { channel: ${general}, schedule: "0 9 * * 1", zone: Europe/Berlin }`,
].join('\n');

const digests = async (world: StrictWorld) =>
  (await world.slack.control.messages(general)).filter(({ text }) => text.includes('📊 *docs-agent*'));
const posted = (world: StrictWorld, count: number) =>
  world.later(
    () => digests(world),
    ({ length }) => length >= count,
    `digest ${count}`,
  );

test('once a week the channel is told what became of the requests; a downtime is caught up with once (L4)', async () => {
  await using world = await startStrictWorld({ configFile });
  await world.ask('Document the rate limits');
  await world.settled();
  expect(await digests(world)).toEqual([]);
  await world.service.stop();
  await world.clock.advance(20 * DAY_MS);
  await world.restart();
  const [first] = await posted(world, 1);
  expect(first?.text).toContain('*1 request* → ');
  expect(first?.text).not.toContain(alice);
  await world.restart();
  await world.settled();
  expect(await digests(world)).toHaveLength(1);
  await world.ask('Document the retries');
  await world.settled();
  await world.service.stop();
  await world.clock.advance(7 * DAY_MS);
  await world.restart();
  expect(await posted(world, 2)).toHaveLength(2);
});

test('a digest whose post was not answered is not posted twice (L4)', async () => {
  await using world = await startStrictWorld({ configFile });
  await world.service.stop();
  await world.clock.advance(7 * DAY_MS);
  const left: 'reset_after'[] = ['reset_after'];
  world.slack.onCall(({ method }) => (method === 'chat.postMessage' ? (left.shift() ?? null) : null));
  await world.restart();
  await posted(world, 1);
  await world.settled(60_000);
  expect(left).toEqual([]);
  expect(await digests(world)).toHaveLength(1);
});

test('a digest for a channel without the bot is given up, and the log says so (L4)', async () => {
  await using world = await startStrictWorld({ configFile: configFile.replace(general, random) });
  await world.service.stop();
  await world.clock.advance(7 * DAY_MS);
  await world.restart();
  await world.later(
    () => world.log.filter((line) => line.includes('"event":"digest_not_posted"')).length,
    Boolean,
    'the log',
  );
});

test('a digest with another schedule, or none in between, begins with its next moment (L4)', async () => {
  await using world = await startStrictWorld({ configFile });
  await world.restart('projects: [{ id: acme-docs }]');
  await world.service.stop();
  await world.clock.advance(20 * DAY_MS);
  await world.restart(configFile.replace('0 9 * * 1', '0 10 * * 1'));
  await world.settled();
  expect(await digests(world)).toEqual([]);
  await world.service.stop();
  await world.clock.advance(7 * DAY_MS);
  await world.restart();
  expect(await posted(world, 1)).toHaveLength(1);
});
