import { fileURLToPath } from 'node:url';
import type { ChildEnv } from '../../../support/child-program.ts';
import { alice, bob, general } from '../../../support/local-slack.ts';
import { strictApp } from '../../../support/strict-slack/ids.ts';
import type { Expected } from '../checker/seen.ts';
import type { Stage } from '../stage.ts';
import type { StrictPeople } from '../strict-people.ts';
import { nothing, oneThread, PROMPT, settings, threadOf } from './expected.ts';

/** As a story, in a Slack with forms and private answers. */
export interface StrictStory {
  readonly settings: ChildEnv;
  playStrictly(stage: Stage, people: StrictPeople): Promise<Expected>;
}

const bot = `<@${strictApp.botUserId}>`;
const adminsFile = fileURLToPath(new URL('./admins.yml', import.meta.url));

/** In the strict Slack. */
export const strictStories = {
  /** A job is asked for by a mention, and so is a follow-up; each comes as two events. */
  mention: {
    settings,
    playStrictly: async (stage, people) => {
      const root = await people.write(`${bot} ${PROMPT}`);
      await stage.told(root, 'Working');
      await people.write(`${bot} One`, { user: bob, threadTs: root.ts });
      await stage.receipt(`${bot} One`, 'white_check_mark');
      await stage.atWork();
      stage.finish('completed');
      await stage.told(root, 'no files changed');
      return oneThread({ rootTs: root.ts, posts: ['Working', 'Finished'], replies: ['One'] });
    },
  },
  /** A direct message with a text that somebody sent along. */
  direct: {
    settings,
    playStrictly: async (stage, people) => {
      const snippet = { name: 'notes.txt', content: 'Use the CLI', mode: 'snippet' } as const;
      const root = await people.write(PROMPT, { channel: alice, files: [snippet] });
      await stage.told(root, 'Working');
      stage.finish('completed');
      await stage.told(root, 'no files changed');
      return oneThread({
        rootTs: root.ts,
        given: `${PROMPT}\n\nnotes.txt:\nUse the CLI`,
        posts: ['Working', 'Finished'],
      });
    },
  },
  /** The same words are asked for twice, and are meant so. */
  again: {
    settings,
    playStrictly: async (stage, people) => {
      await stage.ask(PROMPT);
      const card = await stage.card(PROMPT);
      await stage.told(card, 'Working');
      stage.finish('completed');
      await stage.told(card, 'no files changed');
      const root = await people.write(`${bot} ${PROMPT}`);
      const question = await people.told('You asked the same');
      await people.insist(() => people.control.press(question, 'start_another', alice));
      await stage.told(root, 'Working');
      stage.finish('completed');
      await stage.told(root, 'no files changed');
      const thread = threadOf({ starts: 2, posts: ['Working', 'Finished'] });
      const hints = ['You asked the same', 'Starting another', 'It was started already'];
      return { ...nothing, threads: [thread, { ...thread, rootTs: root.ts }], hints };
    },
  },
  /** A job is asked for in the form behind the command, and a follow-up in another. */
  forms: {
    settings,
    playStrictly: async (stage, people) => {
      const { control } = people;
      const type = () => control.command({ channel: general, user: alice, text: '' });
      await people.fillIn(type, '"compose"', { prompt: PROMPT });
      const card = await stage.card(PROMPT);
      await stage.told(card, 'Working');
      stage.finish('completed');
      const end = await stage.told(card, 'no files changed');
      await stage.quiet();
      await people.fillIn(() => control.press(end, 'follow_up', alice), '"follow_up"', { prompt: 'More' });
      await stage.told(card, 'turn 2');
      stage.finish('completed');
      const posts = ['Working', 'Finished', 'Follow-up', 'turn 2', 'Finished'];
      await stage.quiet();
      return oneThread({ posts, replies: ['More'] });
    },
  },
  /** A mention in a thread without a job: who chose what goes along has it started there. */
  thread: {
    settings,
    playStrictly: async (stage, people) => {
      const root = await people.write('They got a 429', { user: bob });
      await people.write(`${bot} ${PROMPT}`, { threadTs: root.ts });
      const offer = await people.told('No job runs in this thread yet');
      const choose = () => people.control.press(offer, 'choose_messages', alice);
      await people.fillIn(choose, '"thread_preview"', {});
      await stage.told(root, 'Working');
      stage.finish('completed');
      await stage.told(root, 'no files changed');
      const link = `https://strict.slack.com/archives/${general}/p${root.ts.replace('.', '')}`;
      const given = `${PROMPT}\n\nContext from the Slack thread ${link}:\nbob: They got a 429`;
      const told = ['No job runs in this thread yet'];
      return oneThread({ rootTs: root.ts, given, posts: ['Working', 'Finished'] }, { told });
    },
  },
  /** An administrator has only mentions count in the channel. */
  settings: {
    settings: { ...settings, DOCS_AGENT_CONFIG: adminsFile },
    playStrictly: async (stage, people) => {
      const type = () => people.control.command({ channel: general, user: alice, text: 'settings' });
      await people.fillIn(type, '"settings"', { follow_up_mode: 'mentions' });
      await stage.ask(PROMPT);
      const card = await stage.card(PROMPT);
      await stage.told(card, 'Working');
      await people.write('Only between us', { threadTs: card.ts });
      await people.write(`${bot} One`, { user: bob, threadTs: card.ts });
      await stage.receipt(`${bot} One`, 'white_check_mark');
      await stage.atWork();
      stage.finish('completed');
      await stage.told(card, 'no files changed');
      return oneThread({ posts: ['Working', 'Finished'], replies: ['One'] }, { hints: ['Settings saved'] });
    },
  },
  /** A job that was started elsewhere is watched; and somebody looks at the home tab. */
  watch: {
    settings,
    playStrictly: async (stage, people) => {
      const id = await people.startElsewhere('Started elsewhere');
      const prompt = `Agent job ${id}`;
      const type = () => people.control.command({ channel: general, user: alice, text: `watch ${id}` });
      await people.insist(type);
      const card = await stage.card(prompt);
      await stage.told(card, 'Working');
      await people.insist(() => people.control.openHome(alice));
      await people.seenAtHome(prompt);
      stage.finish('completed');
      await stage.told(card, 'no files changed');
      return oneThread({ prompt, given: 'Started elsewhere', posts: ['Working', 'Finished'] });
    },
  },
} as const satisfies Record<string, StrictStory>;
