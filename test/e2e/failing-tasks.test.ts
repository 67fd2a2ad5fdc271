import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storeFindings } from '../../src/doctor/machine.ts';
import { inspectStore } from '../../src/store/inspect.ts';
import { beside } from '../support/beside.ts';
import { scrape } from '../support/scraped.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const PR = 'https://github.com/acme/docs/pull/7';

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

test('one task that fails again and again is reported; if all of a kind do, the program is not ready, until it is mended', async () => {
  await using world = await startStrictWorld({ settings: { SETTLE_WINDOW: '0' } });
  const file = beside(join(world.env.DATA_DIR ?? '', 'docs-agent.db'));
  const failures = () => world.log.filter((line) => line.includes('"task_failed"')).length;
  /** Jobs whose end cannot be stored. */
  const jobsThatFail = async (...prompts: readonly string[]) => {
    const cards = [];
    for (const prompt of prompts) cards.push(await world.working(prompt));
    await file.execute(`create trigger fault before update on job when new.stage = 'ended'
      begin select raise(abort, 'the disk is gone'); end`);
    for (let nth = 1; nth <= prompts.length; nth += 1)
      world.api.finish(-nth, { status: 'completed', prLink: `${PR}${world.api.jobs.length - nth}` });
    // Each is tried again after 5 seconds, 10, 20, and so on.
    const before = failures();
    for (let tries = 1; tries <= 5; tries += 1) {
      await world.clock.advance(2 ** tries * 5_000);
      await world.later(failures, (count) => count >= before + tries * prompts.length, `try ${tries}`);
    }
    return { cards, mend: () => file.execute('drop trigger fault') };
  };
  const one = await jobsThatFail('Add an install guide');
  const warned = await world.later(
    () => readiness(world),
    ({ body }) => JSON.stringify(body).includes('warnings'),
    'the warning',
  );
  expect(warned).toMatchObject({
    status: 200,
    body: { ok: true, warnings: [expect.stringContaining('the disk is gone')] },
  });
  expect(await gauge(world)).toBe(1);
  await one.mend();
  for (const card of one.cards) await world.threadMessage(card, PR);

  const two = await jobsThatFail('Add a glossary', 'Add an FAQ');
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
  const found = expect.stringMatching(/^2 tasks have failed at every try since .*Z: .*the disk is gone/);
  expect(await doctor(world)).toMatchObject([{ subject: 'check_job', level: 'error', found }]);
  await two.mend();
  for (const card of two.cards) await world.threadMessage(card, PR);
  expect(await readiness(world)).toMatchObject({ status: 200 });
  expect(await doctor(world)).toEqual([]);
  await world.clock.advance(10_000);
  expect(await gauge(world)).toBe(0);
  file.close();
});
