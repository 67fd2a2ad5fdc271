import { expect, test } from 'vitest';
import { some } from '../support/is.ts';
import { alice, describeWithLocalSlack, random } from '../support/local-slack.ts';
import { receipt } from './support/posts.ts';
import { working } from './support/turns.ts';
import { startWorld, type World } from './support/world.ts';

const PR = 'https://github.com/acme/docs/pull/1';
const announced = (posts: readonly { text: string }[]) => posts.filter(({ text }) => text.includes('🎉'));
const updated = (posts: readonly { text: string }[]) => posts.filter(({ text }) => text.includes('Updated'));

/** Ends the newest job's turn at the agent API. */
function finish(world: World, prLink: string | null): void {
  const job = world.api.jobs.at(-1);
  if (job === undefined) throw new Error('there is no job');
  world.api.finish(job.id, { status: 'completed', prLink });
}

for (const mode of ['socket', 'http'] as const) {
  describeWithLocalSlack(`the main job over ${mode === 'socket' ? 'Socket Mode' : 'signed HTTP'}`, () => {
    test('a request becomes a card, a job, and a pull request that is announced once (S1, W2, W3, N1)', async () => {
      await using world = await startWorld({ mode, settings: { NOTICE_CHANNELS: random } });
      const root = await world.ask('Add a quickstart');
      expect(root.text).toContain('Add a quickstart');
      expect(root.text).toContain('asked by alice');
      await world.threadMessage(root, 'On it');
      expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([['Add a quickstart']]);

      finish(world, PR);
      const posts = await world.later(
        () => world.posts(root),
        (all) => announced(all).length > 0,
        'the link',
      );
      expect(announced(posts)[0]?.text).toContain(`<@${alice}>`);
      await world.later(
        () => world.card(root),
        (text) => text.includes('Pull request ready') && text.includes(PR),
        'the card to show the pull request',
      );
      const notices = await world.later(() => world.slack.messages(random), some, 'the notice');
      expect(notices[0]?.text).toContain(PR);

      await world.clock.advance(60_000);
      expect(announced(await world.posts(root))).toHaveLength(1);
      expect(await world.slack.messages(random)).toHaveLength(1);
      expect(world.api.counts).toMatchObject({ create: 1, message: 0 });
    });

    test('a reply is a follow-up with receipts (F1)', async () => {
      await using world = await startWorld({ mode });
      const root = await working(world);
      const text = 'Mention the CLI &amp; the API';
      const reply = await world.slack.reply(root, text);
      await receipt(world.slack, reply, 'eyes');
      await world.clock.advance(4_000);
      await receipt(world.slack, reply, 'white_check_mark');
      expect(world.api.jobs[0]?.prompts).toEqual(['Add a quickstart', 'Mention the CLI & the API']);
    });

    test('a reply to a finished job is a new turn, and its old ending is not announced for it (F6)', async () => {
      await using world = await startWorld({
        mode,
        script: () => ({ workMs: 10_000, lagMs: 20_000, ending: 'pull_request' }),
      });
      const root = await world.ask('Add a quickstart');
      await world.later(
        () => world.posts(root),
        (posts) => announced(posts).length === 1,
        'the link',
      );
      await world.slack.reply(root, 'One more thing');
      await world.later(() => world.api.counts.message, 1, 'the follow-up');
      await world.clock.advance(15_000);
      expect(updated(await world.posts(root))).toHaveLength(0);
      await world.later(
        () => world.posts(root),
        (posts) => updated(posts).length === 1,
        'the second end',
      );
      expect(announced(await world.posts(root))).toHaveLength(1);
    });
  });
}
