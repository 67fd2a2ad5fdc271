import { describe, expect, test } from 'vitest';
import { noPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { describeReplicas, startReplicas } from './support/replicas.ts';
import { askAndWait, expectStory, isAccepted, reply } from './support/story.ts';

const skipped = noPgBouncer === null ? '' : ` (skipped: ${noPgBouncer})`;

describe.skipIf(noPgBouncer !== null)(`with PgBouncer${skipped}`, () => {
  describeReplicas('two replicas that share four connections by transaction', (serverUrl) => {
    test('do a whole job, once', async () => {
      await using pooler = await startPgBouncer(serverUrl, 'transaction', 4);
      await using world = await startReplicas(serverUrl, {}, pooler);
      const replicas = await Promise.all([world.start(), world.start()]);
      const card = await askAndWait(world);
      await isAccepted(world, await reply(world, card, 'And an example.'));
      await expectStory(world, 'On it');
      for (const replica of replicas) {
        expect(replica.log().filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
      }
    });
  });
});
