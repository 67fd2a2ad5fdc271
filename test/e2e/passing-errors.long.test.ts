import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alice, general, random, type SlackMessage } from '../support/local-slack.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const bot = '<@U0DOCSAGENT>';
const PR = 'https://github.com/acme/docs/pull/1';

let world: StrictWorld;
beforeEach(async () => {
  world = await startStrictWorld({ settings: { NOTICE_CHANNELS: random } });
  world.slack.control.invite(random, 'U0DOCSAGENT');
});
afterEach(() => world[Symbol.asyncDispose]());

const SHOWING = new Set(['chat.postMessage', 'chat.update', 'chat.postEphemeral', 'reactions.add']);
const words = (posts: readonly SlackMessage[]) =>
  posts.flatMap(({ text }) => /\[Details\]|Updated|🎉|Couldn't post in/.exec(text)?.[0] ?? []);

/** From now on Slack answers with the error whatever is to be shown. Returns what ends it. */
function refuseAll(error: string): () => void {
  world.slack.onCall(({ method }) => (SHOWING.has(method) ? { error } : null));
  return () => world.slack.onCall(() => null);
}

describe('while Slack answers with an error that passes, or that nobody knows', () => {
  test.each(['update_failed', 'an_error_of_tomorrow', 'internal_error'])(
    '%s for eight seconds at the end of a job leaves nothing out, and doubles nothing (E1)',
    async (error) => {
      const { control } = world.slack;
      const root = await control.message({
        channel: general,
        user: alice,
        text: `${bot} Document the limits`,
      });
      await world.started('Document the limits');
      await world.settled();
      const end = refuseAll(error);
      const [job] = world.api.jobs;
      const finish = () => world.api.finish(job?.id ?? '', { status: 'completed', prLink: PR });
      finish();
      await world.settled(4_000);
      const reply = await control.reply(root, 'And errors');
      await world.settled(4_000);
      end();
      await world.settled(60_000);
      finish();
      await world.settled(120_000);
      const [, card, ...posts] = await control.thread(general, root.ts);
      expect(words(posts.filter(({ ts }) => ts !== reply.ts))).toEqual(['🎉', 'Updated']);
      expect(card?.text).toContain('*Updated*');
      expect(await control.messages(random)).toHaveLength(1);
      expect(await control.reactions(reply)).toEqual(['white_check_mark']);
    },
  );
});
