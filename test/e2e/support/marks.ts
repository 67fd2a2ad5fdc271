import { botScopes } from '../../../src/slack/protocol/scopes.ts';
import { alice, bob, general, type SlackMessage } from '../../support/local-slack.ts';
import { openThreadForm } from './posts.ts';
import { type StrictWorld, startStrictWorld } from './strict-world.ts';

/** A program for which 📝 makes drafts in `general`. */
export async function startMarkedWorld(
  configFile = `channels: { ${general}: { reaction: memo } }\naccess: { shared_channels: [${general}] }`,
): Promise<StrictWorld> {
  const world = await startStrictWorld({ configFile });
  world.slack.control.addUser({ id: 'UDEPLOY', name: 'deploys', isBot: true });
  world.slack.control.grantScopes([...botScopes.map(({ name }) => name), 'reactions:read']);
  return world;
}

/** What people do with marks, and see of them. */
export function marksIn(world: () => StrictWorld) {
  const write = (
    text: string,
    options: { user?: string; threadTs?: string; fields?: { bot_id: string } } = {},
  ) => world().slack.control.message({ channel: general, user: bob, text, ...options });
  const react = (message: SlackMessage, user = alice, emoji = 'memo') =>
    world().slack.control.react(message, emoji, user);
  const unreact = (message: SlackMessage, user = alice) =>
    world().slack.control.unreact(message, 'memo', user);
  /** An event by itself, whatever there is at the message. */
  const raw = (type: 'reaction_added' | 'reaction_removed', { ts }: SlackMessage, user = alice) =>
    world().slack.control.raw(general, {
      type,
      user,
      reaction: 'memo',
      item: { type: 'message', channel: general, ts },
    });
  const threadOf = async (root: SlackMessage) =>
    (await world().slack.control.thread(general, root.ts)).filter(({ ts }) => ts !== root.ts);
  const drafts = async (root: SlackMessage) =>
    (await threadOf(root)).filter(({ text }) => text.includes('*Draft*'));
  const draftOf = async (root: SlackMessage): Promise<SlackMessage> => {
    await world().settled();
    const [draft] = (await drafts(root)).slice(-1);
    if (draft === undefined) throw new Error('there is no draft');
    return draft;
  };
  const press = (draft: SlackMessage, button: string, user = alice) =>
    world().slack.control.press(draft, button, user);
  /** By a mention in its thread. */
  const startJobIn = async ({ ts }: SlackMessage) => {
    await write('<@U0DOCSAGENT> Document it', { threadTs: ts, user: alice });
    await openThreadForm(world(), alice, 'Include these messages');
    await world().slack.control.submit(alice, {});
    await world().settled();
  };
  const privately = (words: string) => world().sentPrivately(general, words);
  return { write, react, unreact, raw, threadOf, drafts, draftOf, press, startJobIn, privately };
}
