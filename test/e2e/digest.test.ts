import { expect, test } from 'vitest';
import { some } from '../support/is.ts';
import { alice, general } from '../support/local-slack.ts';
import { startStrictWorld } from './support/strict-world.ts';

const DAY_MS = 86_400_000;
const projects = 'projects: [{ id: acme-docs }]';
const configFile = `${projects}\ndigest: { channel: ${general}, schedule: "0 9 * * 1", zone: Europe/Berlin }`;

async function start() {
  const world = await startStrictWorld({ configFile });
  const digests = async () =>
    (await world.slack.control.messages(general)).filter(({ text }) => text.includes('📊 *docs-agent*'));
  return Object.assign(world, {
    digests,
    posted: async (count: number) => {
      await world.later(async () => (await digests()).length >= count, true, `digest ${count}`);
      await world.settled(60_000);
      expect(await digests()).toHaveLength(count);
    },
    /** The program is down for so many days, and has other settings then. */
    away: async (days: number, changed?: string) => {
      await world.service.stop();
      await world.clock.advance(days * DAY_MS);
      await world.restart(changed);
    },
  });
}

test('once a week the channel is told what became of the requests; a downtime is caught up with once (L4)', async () => {
  await using world = await start();
  await world.ask('Document the rate limits');
  await world.settled();
  expect(await world.digests()).toEqual([]);
  await world.away(20);
  await world.posted(1);
  const [first] = await world.digests();
  expect(first?.text).toContain('*1 request* → ');
  expect(first?.text).not.toContain(alice);
  await world.restart();
  // A post that is not answered is not made twice.
  const left: 'reset_after'[] = ['reset_after'];
  world.slack.onCall(({ method }) => (method === 'chat.postMessage' ? (left.shift() ?? null) : null));
  await world.away(7);
  await world.posted(2);
  expect(left).toEqual([]);
});

test('a digest with another schedule, or none in between, begins with its next moment; without the bot in its channel it is given up (L4)', async () => {
  await using world = await start();
  await world.restart(projects);
  await world.away(20, configFile.replace('0 9 * * 1', '0 10 * * 1'));
  await world.settled();
  expect(await world.digests()).toEqual([]);
  await world.away(7);
  await world.posted(1);
  world.slack.control.remove(general, 'U0DOCSAGENT');
  await world.away(7);
  const lost = () => world.log.filter((line) => line.includes('"event":"digest_not_posted"'));
  await world.later(lost, some, 'the log');
});
