import { describe, expect, test } from 'vitest';
import { settings } from '../cli/support/settings.ts';
import { startTinySlack } from '../cli/support/tiny-slack.ts';
import { agentCalls, type Outside, readiness, startOutside } from '../crash/support/outside.ts';
import { type ChildProgram, runProgram } from '../support/child-program.ts';
import { alice, bob, describeWithLocalSlack, general, type SlackMessage } from '../support/local-slack.ts';
import { scrape } from '../support/scraped.ts';
import { waitFor } from '../support/wait-for.ts';
import { mountSmallDisk, noSmallDisk } from './support/small-disk.ts';

const PR = 'https://github.com/acme/docs/pull/1';
const options = { timeout: 300_000 };

async function whereabouts(program: ChildProgram) {
  return { healthPort: Number((await program.logged('started')).port) };
}

/** Looks at the program over and over, for some time: it must stay not ready. */
async function staysFull(program: ChildProgram, forMs: number): Promise<void> {
  const untilMs = Date.now() + forMs;
  while (Date.now() < untilMs) expect((await readiness(program)).status).toBe(503);
}

const isTold = (world: Outside, words: string) =>
  waitFor(
    async () => (await world.messages()).filter(({ text }) => text.includes(words)).length,
    (count) => count === 1,
    { what: `one message with "${words}"` },
  );

function onSmallDisks(name: string, describeIt: typeof describe, tests: () => void): void {
  if (noSmallDisk === null) describeIt(name, tests);
  else describe.skip(`${name} (skipped: ${noSmallDisk})`, () => test('fails clearly', () => {}));
}

onSmallDisks('while the disk is full', describeWithLocalSlack as typeof describe, () => {
  test.concurrent(
    'requests are refused, nothing is lost, and all goes on when there is room',
    options,
    async () => {
      using disk = mountSmallDisk();
      await using world = await startOutside({ DATA_DIR: disk.path });
      const program = await world.start();
      world.api.failNext('create', { status: 500 });
      await world.slack.command({ channel: general, user: alice, text: 'Start unclear' });
      const offer = await world.messageSeen("Couldn't confirm the start");
      await world.slack.command({ channel: general, user: alice, text: 'Add a quickstart' });
      const { thread_ts: threadTs = '' } = await world.messageSeen('On it');
      expect((await readiness(program)).status).toBe(200);

      disk.fill();
      expect(await readiness(program)).toEqual({ status: 503, body: expect.stringContaining('Make room') });
      // The alert looks at what is counted since the last scrape, 15 seconds ago.
      const seen = await scrape(await whereabouts(program));
      expect(seen['docs_agent_store_transactions_total{outcome="disk_full"}']).toBeGreaterThan(0);
      expect(seen).toMatchObject({ docs_agent_store_up: 0, docs_agent_data_dir_free_bytes: 0 });
      await world.slack.command({ channel: general, user: alice, text: 'Not stored' });
      const payloads = () => world.proxy.socket.acks().map(({ payload }) => JSON.stringify(payload ?? {}));
      expect(payloads().at(-1)).toContain('save that');
      const acks = payloads().length;
      const sending = world.slack.message({ channel: general, user: bob, text: 'Kept', threadTs });
      await world.until(
        () => program.log().filter(({ event }) => event === 'listener_failed').length,
        (count) => count === 1,
        'the reply to be refused',
      );
      world.finish(PR);
      const linesBefore = program.log().length;
      await staysFull(program, 5_000);
      expect(program.log().length - linesBefore).toBeLessThan(5 * 10);
      const reply = await sending;
      expect(payloads()).toHaveLength(acks);
      await world.slack.press(offer, 'start_again', alice);
      const isRefusal = ({ subtype, text }: SlackMessage) =>
        subtype === 'ephemeral' && text.includes('save that');
      // Of the command and of the button.
      expect((await world.messages()).filter(isRefusal)).toHaveLength(2);
      expect(world.api.counts).toMatchObject({ create: 2, message: 0 });

      disk.makeRoom();
      expect((await readiness(program)).status).toBe(200);
      world.proxy.socket.redeliver();
      await waitFor(
        () => world.slack.reactions(reply),
        (names) => names.join() === 'white_check_mark',
        { what: 'the receipt' },
      );
      world.finish(PR);
      await isTold(world, '🎉');
      await world.slack.press(offer, 'start_again', alice);
      await world.until(
        () => world.api.counts.create,
        (count) => count === 3,
        'the job to be created',
      );
      expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([
        ['Add a quickstart', 'Kept'],
        ['Start unclear'],
      ]);
    },
  );

  for (const seconds of [1, 12]) {
    test.concurrent(`for ${seconds} s, the answer to a create call is not lost`, options, async () => {
      using disk = mountSmallDisk();
      await using world = await startOutside({ DATA_DIR: disk.path });
      const answer = Promise.withResolvers<void>();
      world.agentProxy.fail(agentCalls.create, { answerAfter: answer.promise });
      const program = await world.start();
      await world.slack.command({ channel: general, user: alice, text: 'Add a quickstart' });
      await world.until(
        () => world.api.counts.create,
        (count) => count === 1,
        'the create call',
      );
      disk.fill();
      answer.resolve();
      const failures = () => program.log().filter(({ event }) => event === 'outcome_not_stored').length;
      await world.until(failures, (count) => count >= seconds, 'the answer not to be stored');
      disk.makeRoom();
      await isTold(world, '*On it.* Reply');
      expect(world.api.counts.create).toBe(1);
    });
  }

  test.concurrent('a post that arrived is not posted again', options, async () => {
    using disk = mountSmallDisk();
    await using world = await startOutside({ DATA_DIR: disk.path });
    const answer = Promise.withResolvers<void>();
    world.proxy.fail('chat.postMessage', { answerAfter: answer.promise });
    const program = await world.start();
    await world.slack.command({ channel: general, user: alice, text: 'Add a quickstart' });
    await world.card();
    disk.fill();
    answer.resolve();
    // The outcome is tried for 20 seconds, about as long as a test waits for an event: in two steps.
    await program.logged('leases_not_renewed');
    await program.logged('task_not_retried');
    disk.makeRoom();
    await isTold(world, '*On it.* Reply');
    expect((await world.messages()).filter(({ thread_ts }) => thread_ts === undefined)).toHaveLength(1);
  });
});

onSmallDisks('a start', describe, () => {
  test('on a full disk says what to do, and works when there is room', async () => {
    using disk = mountSmallDisk();
    await using slack = await startTinySlack();
    const env = { ...settings, SLACK_API_URL: slack.apiUrl, DATA_DIR: disk.path };
    disk.fill();
    await using failing = runProgram(['start'], env);
    expect(await failing.exit).toEqual({ code: 75, signal: null });
    expect(failing.output()).toMatch(
      /docs-agent cannot start\. The store in .* full\. Make room on the disk\./,
    );
    disk.makeRoom();
    await using program = runProgram(['start'], env);
    await program.logged('started');
    program.kill('SIGTERM');
    await program.exit;
    disk.fill();
    await using again = runProgram(['start'], env);
    expect(await again.exit).toEqual({ code: 75, signal: null });
    expect(again.output()).toContain('Make room on the disk.');
  });
});
