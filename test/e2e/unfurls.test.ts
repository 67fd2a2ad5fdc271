import { expect, test } from 'vitest';
import { has } from '../support/is.ts';
import { alice, general, random } from '../support/local-slack.ts';
import { startStrictWorld } from './support/strict-world.ts';

const PR = 'https://github.com/acme/docs/pull/1';

test('no message with a pull request brings a preview of it: in the thread, in a notice, and privately', async () => {
  await using world = await startStrictWorld({ settings: { NOTICE_CHANNELS: random } });
  const { slack, api } = world;
  const root = await slack.control.message({
    channel: general,
    user: alice,
    text: `<@U0DOCSAGENT> Add a quickstart`,
  });
  await world.threadMessage(root, 'Working');
  // The thread takes no more posts, so the pull request goes to the requester privately.
  slack.onCall(({ method, args }) =>
    method === 'chat.postEphemeral' || (method === 'chat.postMessage' && args.thread_ts !== undefined)
      ? { error: 'thread_locked' }
      : null,
  );
  api.finish(0, { status: 'completed', prLink: PR });
  const posts = () => slack.calls('chat.postMessage').filter(({ args }) => JSON.stringify(args).includes(PR));
  await world.later(
    () => [general, random, alice].filter((place) => posts().some(({ args }) => args.channel === place)),
    has(3),
    'the link in three places',
  );
  for (const { args } of posts()) {
    expect([String(args.unfurl_links), String(args.unfurl_media)]).toEqual(['false', 'false']);
  }
});
