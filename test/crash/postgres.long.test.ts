import { describe, expect, test } from 'vitest';
import { alice, describeWithLocalSlack, general } from '../support/local-slack.ts';
import { createTestDatabase, testServerUrl } from '../support/postgres.ts';
import { killHard, startOutside } from './support/outside.ts';

if (testServerUrl === undefined) {
  describe.skip('a kill -9 and Postgres (skipped: to run it, set TEST_DATABASE_URL=postgres://user@host:5432/postgres)', () => {
    test('leaves the card to the next process', () => {});
  });
} else {
  postgresSuite(testServerUrl);
}

function postgresSuite(serverUrl: string): void {
  describeWithLocalSlack('after a kill -9 and a restart on Postgres', () => {
    test('between the storing of the card at Slack and its answer, it is not posted again', async () => {
      const database = await createTestDatabase(serverUrl);
      await using _dropped = { [Symbol.asyncDispose]: () => database.drop() };
      await using world = await startOutside({ DATABASE_URL: database.url });
      world.proxy.fail('chat.postMessage', { answerAfter: new Promise(() => {}) });
      const first = await world.start();
      await world.slack.command({ channel: general, user: alice, text: 'Add a quickstart' });
      const card = await world.card();
      await killHard(first);

      const second = await world.start();
      // Other replicas may live, so the task of the one that died is free only when its lease runs out. The
      // program's part in that is to compare times; the test moves the time in the row instead of waiting.
      const leased = 'lease_until is not null';
      expect(await database.query(`select kind from task where ${leased}`)).toEqual([
        { kind: 'post_to_slack' },
      ]);
      await database.query(`update task set lease_until = 0 where ${leased}`);

      expect(await second.logged('post_looked_for')).toMatchObject({ outcome: 'adopted' });
      expect(await world.messageSeen('On it')).toMatchObject({ thread_ts: card.ts });
      expect(await world.messages()).toHaveLength(2);
      expect(world.api.counts.create).toBe(1);
    });
  });
}
