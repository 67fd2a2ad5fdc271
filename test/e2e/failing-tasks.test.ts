import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { storeFindings } from '../../src/doctor/machine.ts';
import { inspectStore } from '../../src/store/inspect.ts';
import { beside } from '../support/beside.ts';
import { scrape } from '../support/scraped.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const PR = 'https://github.com/acme/docs/pull/7';
const FAULT = `create trigger fault before update on job when new.stage = 'ended'
  begin select raise(abort, 'the disk is gone'); end`;

/** Jobs whose end cannot be stored. */
async function jobsThatFail(world: StrictWorld, prompts: readonly string[]) {
  const cards = [];
  for (const prompt of prompts) {
    const card = await world.working(prompt);
    cards.push(card);
  }
  const file = beside(join(world.env.DATA_DIR ?? '', 'docs-agent.db'));
  onTestFinished(() => file.close());
  await file.execute(FAULT);
  for (const { id } of world.api.jobs) world.api.finish(id, { status: 'completed', prLink: PR });
  const failures = () => world.log.filter((line) => line.includes('"task_failed"')).length;
  // Each is tried again after 5 seconds, 10, 20, and so on.
  for (let tries = prompts.length; tries <= 5 * prompts.length; tries += prompts.length) {
    await world.clock.advance(2 ** (tries / prompts.length) * 5_000);
    await world.later(failures, (count) => count >= tries, `${tries} failures`);
  }
  return { cards, mend: () => file.execute('drop trigger fault') };
}

const readiness = async ({ service }: StrictWorld) => {
  const response = await fetch(`http://127.0.0.1:${service.port}/readyz`);
  return { status: response.status, body: await response.json() };
};
const gauge = async ({ service }: StrictWorld) =>
  (await scrape(service))['docs_agent_failing_tasks{loop="check",task="check_job"}'];
const doctor = async ({ env, clock }: StrictWorld) => {
  const facts = await inspectStore({ dataDir: env.DATA_DIR ?? '' }, clock.now());
  return storeFindings(facts).filter(({ check }) => check === 'work');
};

test('work that fails again and again, whatever is tried, is seen by /readyz, metrics and doctor', async () => {
  await using world = await startStrictWorld({ settings: { SETTLE_WINDOW: '0' } });
  const { cards, mend } = await jobsThatFail(world, ['Add an install guide', 'Add an FAQ']);
  const bad = await world.later(
    () => readiness(world),
    ({ status }) => status === 503,
    'the program not to be ready',
  );
  const words = expect.stringMatching(
    /^every check_job has failed since .*Z \(2 tasks\): .*the disk is gone/,
  );
  expect(bad.body).toMatchObject({ ok: false, checks: { store: 'ok', work: words } });
  expect(await gauge(world)).toBe(2);
  expect(await doctor(world)).toMatchObject([
    {
      subject: 'check_job',
      level: 'error',
      found: expect.stringMatching(/^2 tasks have failed at every try since .*Z: .*the disk is gone/),
    },
  ]);

  await mend();
  for (const card of cards) await world.threadMessage(card, PR);
  expect(await readiness(world)).toMatchObject({ status: 200 });
  expect(await doctor(world)).toEqual([]);
  await world.clock.advance(10_000);
  expect(await gauge(world)).toBe(0);
});

test('one task that fails again and again is reported, but takes nobody out of service', async () => {
  await using world = await startStrictWorld({ settings: { SETTLE_WINDOW: '0' } });
  await jobsThatFail(world, ['Add an install guide']);
  const told = await world.later(
    () => readiness(world),
    ({ body }) => JSON.stringify(body).includes('warnings'),
    'the warning',
  );
  expect(told).toMatchObject({
    status: 200,
    body: { ok: true, warnings: [expect.stringContaining('the disk is gone')] },
  });
  expect(await gauge(world)).toBe(1);
});
