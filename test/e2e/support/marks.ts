import { botScopes } from '../../../src/slack/protocol/scopes.ts';
import { alice, bob, general, type SlackMessage } from '../../support/local-slack.ts';
import { type StrictWorld, startStrictWorld } from './strict-world.ts';

const MARKED = `channels: { ${general}: { reaction: memo } }\naccess: { shared_channels: [${general}] }`;

/** A program for which 📝 makes drafts in `general`, and what people do with marks, and see of them. */
export async function startMarkedWorld(configFile = MARKED) {
  const world = await startStrictWorld({ configFile });
  const { control } = world.slack;
  control.addUser({ id: 'UDEPLOY', name: 'deploys', isBot: true });
  control.grantScopes([...botScopes.map(({ name }) => name), 'reactions:read']);
  const drafts = async (root: SlackMessage) =>
    (await world.thread(root)).filter(({ text }) => text.includes('*Draft*'));
  return Object.assign(world, {
    write: (text: string, more: Parameters<StrictWorld['say']>[1] = {}) =>
      world.say(text, { user: bob, ...more }),
    react: (message: SlackMessage, user = alice, emoji = 'memo') => control.react(message, emoji, user),
    unreact: (message: SlackMessage, user = alice) => control.unreact(message, 'memo', user),
    /** An event by itself, whatever there is at the message. */
    raw: (type: 'reaction_added' | 'reaction_removed', { ts }: SlackMessage, user = alice) =>
      control.raw(general, { type, user, reaction: 'memo', item: { type: 'message', channel: general, ts } }),
    drafts,
    draftOf: async (root: SlackMessage): Promise<SlackMessage> => {
      await world.settled();
      const draft = (await drafts(root)).at(-1);
      if (draft === undefined) throw new Error('there is no draft');
      return draft;
    },
    press: (draft: SlackMessage, button: string, user = alice) => control.press(draft, button, user),
    private: (words: string) => world.sentPrivately(general, words),
    /** The first calls of each of these methods are answered with a 500. */
    failAtFirst: (methods: readonly string[], times: number) => {
      const left = new Map(methods.map((method) => [method, times]));
      world.slack.onCall(({ method }) => {
        const count = left.get(method) ?? 0;
        if (count > 0) left.set(method, count - 1);
        return count > 0 ? { status: 500 } : null;
      });
      return left;
    },
  });
}
