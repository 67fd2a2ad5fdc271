import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRecipe } from '../../src/features/recipes/start.ts';
import { openJob, requestDraft } from '../../src/jobs/decide/open.ts';
import type { JobEvent } from '../../src/jobs/event.ts';
import { applyOnce } from '../../src/slack/inbound/once.ts';
import { takeReply } from '../../src/slack/inbound/replies.ts';
import { type MessageEvent, messageKeys } from '../../src/slack/messages/message-event.ts';
import { aReply, HOUR_MS, MINUTE_MS, SECOND_MS } from '../jobs/support/builders.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { refuse } from '../support/invariants/watch.ts';
import { SEED } from '../support/properties.ts';
import { turn } from './support/interleaving.ts';
import {
  createPlay,
  openReplicas,
  type Play,
  type Replica,
  type TwoReplicas,
} from './support/two-replicas.ts';

/** INTERLEAVING_SEED: play this one. INTERLEAVINGS: play so many of each, from PROPERTY_SEED on. */
const { INTERLEAVING_SEED, INTERLEAVINGS = '6' } = process.env;
const FIRST = Number(INTERLEAVING_SEED ?? SEED);
const COUNT = INTERLEAVING_SEED === undefined ? Number(INTERLEAVINGS) : 1;

type Scene = (play: Play) => Promise<void>;
type Options = Parameters<typeof createPlay>[2];

const press = (replica: Replica, userId: string, jobId: string, event: JobEvent) =>
  replica.store.transaction((tx) => {
    const keys = [`press:${jobId}:${userId}`];
    return applyOnce(tx, replica, { userId, keys }, { button: event.type, jobId, event });
  });
const deliver = (replica: Replica, message: MessageEvent) =>
  takeReply(replica, message, messageKeys(replica.teamId, message));

function expectEachOnce({ prompts, words }: Play): void {
  const given = prompts.join('\n');
  expect(words.map((one) => [one, given.split(one).length - 1])).toEqual(words.map((one) => [one, 1]));
}

describeOnDatabases('two replicas, whose transactions commit in any order', (makePlace) => {
  let replicas: TwoReplicas;

  beforeAll(async () => {
    replicas = await openReplicas(await makePlace());
  });
  afterAll(() => replicas.close());

  /** Returns the order. */
  async function playOne(seed: number, scene: Scene, options: Options = {}) {
    const play = createPlay(replicas, seed, options);
    // In its first transaction, a store tells the watch where it is.
    for (const store of Object.values(replicas.stores)) await store.transaction(async () => {});
    try {
      await scene(play);
      refuse(play.faults());
    } catch (error) {
      const again = `INTERLEAVING_SEED=${seed} npx vitest run test/replicas/interleavings.test.ts`;
      const told = `To play it again: ${again}\nThe order was:\n${play.order.told()}`;
      throw new Error(`${error instanceof Error ? error.message : error}\n\n${told}`, { cause: error });
    } finally {
      await play.end();
    }
    return play.order.told();
  }

  /** @param count of orders that are played for each of another scene */
  function testInAnyOrder(name: string, scene: Scene, options?: Options, count = 1) {
    test(name, async () => {
      for (let seed = FIRST; seed < FIRST + COUNT * count; seed += 1) await playOne(seed, scene, options);
    });
  }

  const requestAndReplies: Scene = async (play) => {
    const { order, left, right } = play;
    const jobId = await play.ask('Request 1;');
    await play.settle();
    await play.ask('Request 2;');
    for (const [index, replica] of [left, right, left].entries()) {
      const reply = await play.reply(jobId, `Reply ${index + 1};`);
      void order.act(`reply ${index + 1}`, () => deliver(replica, reply));
    }
    await play.interleave(MINUTE_MS);
    expectEachOnce(play);
  };
  testInAnyOrder('requests and replies are given to the agent once, and in order', requestAndReplies);

  testInAnyOrder('an edit that comes as its request goes out is in it, or is offered', async (play) => {
    const reply = aReply({ text: 'Request 1; shorter', editedTs: '1.000001' });
    const { messageTs: requestTs } = reply;
    const jobId = await play.ask('Request 1;', (asked, context) => openJob({ ...asked, requestTs }, context));
    await play.settle(['post_to_slack']);
    void play.order.act('edit', () => press(play.left, 'U1', jobId, { type: 'request_rewritten', reply }));
    await play.interleave(SECOND_MS);
    const { prompt, correction } = await play.job(jobId);
    expect(play.prompts).toEqual([prompt]);
    expect(correction ?? prompt).toBe(reply.text);
  });

  test('a seed is always the same order', async () => {
    expect(await playOne(FIRST, requestAndReplies)).toBe(await playOne(FIRST, requestAndReplies));
  });

  const fourRequests: Scene = async (play) => {
    for (const number of [1, 2, 3, 4]) await play.ask(`Request ${number};`);
    await play.settle(['post_to_slack']);
    await play.interleave(SECOND_MS);
    expect(play.prompts).toHaveLength(1);
    for (const _ of [2, 3, 4]) {
      play.pass(HOUR_MS);
      await play.settle();
    }
    expectEachOnce(play);
  };
  // Few orders let two of them count at the same time.
  testInAnyOrder('the hourly budget is kept, whoever counts', fourRequests, { hourlyBudget: 1 }, 4);

  const takenOver: Scene = async (play) => {
    const jobId = await play.ask('Request 1;');
    for (const times of ['once', 'twice']) {
      void play.order.act(`leases end ${times}`, async () => {
        await turn('now');
        play.endLeases();
      });
    }
    await play.interleave(HOUR_MS);
    expectEachOnce(play);
    expect((await play.job(jobId)).stage.kind).toBe('working');
  };
  testInAnyOrder('a call that is taken over is made once, and its answer counts', takenOver, {
    losesLeases: true,
  });

  testInAnyOrder('what a thread is told while its last post is made is posted, too', async (play) => {
    const { order, left, right, posts } = play;
    const jobId = await play.ask('Request 1;');
    await play.settle();
    const before = posts.size;
    await deliver(left, await play.reply(jobId, 'Mute'));
    for (const replica of [left, right, right]) {
      const reply = await play.reply(jobId, 'Unmute');
      void order.act('unmute', () => deliver(replica, reply));
    }
    // They are for the program.
    play.words.splice(1);
    await play.interleave(SECOND_MS);
    expect(posts.size).toBe(before + 4);
  });

  testInAnyOrder('a draft is started, or dismissed, or expires, whatever is first', async (play) => {
    const { order, left, right, prompts } = play;
    const jobId = await play.ask('Request 1;', (asked, context) =>
      requestDraft(asked, { approvers: [] }, context),
    );
    await play.settle();
    play.pass(7 * 24 * HOUR_MS);
    const start = (replica: Replica, userId: string) =>
      press(replica, userId, jobId, { type: 'draft_started', draft: 1, userId });
    const dismiss = () => press(left, 'U3', jobId, { type: 'draft_dismissed', draft: 1, userId: 'U3' });
    const presses = [
      order.act('Anna starts', () => start(left, 'U1')),
      order.act('Anna starts (delivered again)', () => start(right, 'U1')),
      order.act('Bob starts', () => start(right, 'U2')),
      order.act('Cem dismisses', dismiss),
    ];
    await play.interleave(SECOND_MS);
    const { stage } = await play.job(jobId);
    const isDropped = stage.kind === 'dropped';
    const effects = (await Promise.all(presses)).filter((one) => one?.hasEffect === true);
    expect(effects).toHaveLength(isDropped && stage.why === 'expired' ? 0 : 1);
    expect(prompts).toHaveLength(isDropped ? 0 : 1);
  });

  testInAnyOrder('a recipe that is called several times has one job', async (play) => {
    const { order, left, right, teamId, prompts } = play;
    const recipe = {
      name: 'often',
      projectName: undefined,
      channelId: 'C1',
      request: 'Look',
      values: new Map(),
    };
    const asked = { teamId, origin: { kind: 'webhook' }, isClosed: false } as const;
    const call =
      ({ store, newContext }: Replica, key: string) =>
      async () => {
        const own = { ...recipe, schedule: null, isDraft: false, owners: [] };
        await store.transaction((tx) =>
          startRecipe(tx, { ...asked, recipe: own, keys: [key] }, newContext()),
        );
      };
    void order.act('call 1', call(left, `call:${teamId}:1`));
    void order.act('call 1 (delivered again)', call(right, `call:${teamId}:1`));
    void order.act('call 2', call(right, `call:${teamId}:2`));
    await play.interleave(SECOND_MS);
    expect(prompts).toEqual(['Look']);
  });

  testInAnyOrder('a reply that comes while its thread is read is given to the agent once', async (play) => {
    const { order, left, right, thread } = play;
    const jobId = await play.ask('Request 1;');
    await play.settle();
    const job = await play.job(jobId);
    const read = ({ store }: Replica) => store.transaction((tx) => tx.catchUps.request(job, play.now()));
    const delivered = await play.reply(jobId, 'Delivered;');
    const missed = await play.reply(jobId, 'Missed;');
    thread.push(delivered);
    await read(left);
    void order.act('delivery', () => deliver(right, delivered));
    void order.act('missed', async () => {
      await turn('is written');
      thread.push(missed);
      await read(right);
    });
    await play.interleave(MINUTE_MS);
    expectEachOnce(play);
  });
});
