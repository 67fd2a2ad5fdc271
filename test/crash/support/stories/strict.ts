import { fileURLToPath } from 'node:url';
import type { Store } from '../../../../src/store/store.ts';
import type { ChildEnv } from '../../../support/child-program.ts';
import { alice, bob, general } from '../../../support/local-slack.ts';
import { strictApp } from '../../../support/strict-slack/ids.ts';
import type { FilledInValues } from '../../../support/strict-slack/view-control.ts';
import { notices, REFUSED_PROMPT } from '../outside.ts';
import type { Expected } from '../problems.ts';
import type { Stage } from '../stage.ts';
import type { StrictPeople } from '../strict-people.ts';
import { nothing, oneThread, PROMPT, settings, threadOf } from './expected.ts';

/** As a story, in a Slack with forms and private answers. */
export interface StrictStory {
  readonly settings: ChildEnv;
  /** The questions of the program are answered in the story, and by nobody else. */
  readonly answersQuestions?: true;
  /** Before the first process begins: what earlier ones have left. */
  readonly prepare?: (store: Store) => Promise<void>;
  playStrictly(stage: Stage, people: StrictPeople): Promise<Expected>;
}

const bot = `<@${strictApp.botUserId}>`;
const workflowsFile = fileURLToPath(new URL('./workflows.yml', import.meta.url));
const adminsFile = fileURLToPath(new URL('./admins.yml', import.meta.url));

/** In the strict Slack. */
export const strictStories = {
  /** A job is asked for by a mention, and so is a follow-up; each arrives as two events. */
  mention: {
    settings,
    playStrictly: async (stage, people) => {
      const root = await people.write(`${bot} ${PROMPT}`);
      await stage.threadMessage(root, 'Working');
      await people.write(`${bot} One`, { user: bob, threadTs: root.ts });
      await stage.receipt(`${bot} One`, 'white_check_mark');
      await stage.atWork();
      await stage.complete(root);
      return oneThread({ rootTs: root.ts, posts: ['Done'], replies: ['One'] });
    },
  },
  /** A workflow asks, and waits for the end. */
  workflow: {
    settings: { ...settings, DOCS_AGENT_CONFIG: workflowsFile },
    playStrictly: async (stage, people) => {
      const executionId = await people.runStep({ request: PROMPT, channel: general, wait: true });
      const card = await stage.card(PROMPT);
      await stage.threadMessage(card, 'On it');
      await stage.complete(card);
      await people.stepEnded(executionId, 'done');
      return oneThread({ posts: ['On it', 'Done'] });
    },
  },
  /** A direct message with a text that somebody sent along. */
  direct: {
    settings,
    playStrictly: async (stage, people) => {
      const snippet = { name: 'notes.txt', content: 'Use the CLI', mode: 'snippet' } as const;
      const root = await people.write(PROMPT, { channel: alice, files: [snippet] });
      await stage.threadMessage(root, 'Working');
      await stage.complete(root);
      return oneThread({
        rootTs: root.ts,
        posts: ['Done'],
      });
    },
  },
  /** The same words are asked for twice, and are meant so. */
  again: {
    settings,
    playStrictly: async (stage, people) => {
      const card = await stage.begin(PROMPT);
      await stage.complete(card);
      const root = await people.write(`${bot} ${PROMPT}`);
      const question = await people.privateMessage('You asked for this');
      await people.insist(() => people.control.press(question, 'start_another', alice));
      await stage.threadMessage(root, 'Working');
      await stage.complete(root);
      const thread = threadOf({ posts: ['On it', 'Done'] });
      const hints = ['You asked for this', 'The card is about to appear', 'Already done'];
      return { ...nothing, threads: [thread, { ...thread, posts: ['Done'], rootTs: root.ts }], hints };
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
      await stage.threadMessage(card, 'On it');
      const end = await stage.complete(card);
      await stage.idle();
      await people.fillIn(() => control.press(end, 'follow_up', alice), '"follow_up"', { prompt: 'More' });
      await stage.atWork();
      stage.finish('completed');
      const posts = ['On it', 'Done', 'Reply', 'Done'];
      await stage.idle();
      return oneThread({ posts, replies: ['More'] });
    },
  },
  /** Checks fail, changes are requested, and a reviewer is asked; the agent gets the first two. */
  review: {
    settings,
    playStrictly: async (stage, people) => {
      const { control } = people;
      const { pull, url } = stage.openPullRequest();
      pull.check('build', 'failure');
      pull.review('octocat', 'CHANGES_REQUESTED', 'Nearly there.');
      pull.ask('carol');
      await stage.ask(PROMPT);
      const card = await stage.card(PROMPT);
      await stage.threadMessage(card, 'On it');
      stage.finish('completed', url);
      await stage.seen(notices, url);
      await stage.threadMessage(card, 'Review wanted');
      const answer = async (words: string, button: string, values: FilledInValues) => {
        const news = await stage.threadMessage(card, words);
        const form = button === 'ask_for_fix' ? '"fix"' : '"review"';
        await people.fillIn(() => control.press(news, button, alice), form, values);
        await stage.atWork();
      };
      await answer('*Checks failing*', 'ask_for_fix', { prompt: 'Fix it' });
      stage.finish('completed', url);
      await stage.threadMessage(card, '*Updated:*');
      await answer('*Changes requested*', 'send_review', { messages_0: ['Nearly there.'] });
      pull.merge('octocat');
      stage.finish('completed', url);
      await stage.threadMessage(card, '*Merged* by');
      return oneThread({
        posts: [
          'On it',
          'took',
          'Checks failing',
          'Changes requested',
          'Review wanted',
          'Reply',
          'Updated',
          'Reply',
          'Updated',
          '*Merged* by',
        ],
        replies: ['Fix it', 'octocat requested changes on acme/docs#1:'],
        end: 'Merged',
      });
    },
  },
  /** A request that the agent did not accept is edited in a form, and started. */
  editAndStart: {
    settings,
    playStrictly: async (stage, people) => {
      await stage.ask(REFUSED_PROMPT);
      const card = await stage.card(REFUSED_PROMPT);
      const refused = await stage.threadMessage(card, 'Not accepted');
      const press = () => people.control.press(refused, 'edit_and_start', alice);
      await people.fillIn(press, '"edit_request"', { prompt: PROMPT });
      await stage.threadMessage(card, 'On it');
      await stage.threadMessage(card, 'edited the request and started it');
      await stage.complete(card);
      return oneThread({ posts: ['Not accepted', 'On it', 'Done'] });
    },
  },
  /** Nobody knows whether the job was started; a person has found it, and names it in a form. */
  watchNamed: {
    settings,
    answersQuestions: true,
    playStrictly: async (stage, people) => {
      await stage.ask(PROMPT);
      const card = await stage.card(PROMPT);
      const unclear = await stage.threadMessage(card, "Couldn't confirm the start");
      const press = () => people.control.press(unclear, 'watch_agent_job', alice);
      await people.fillIn(press, '"agent_job"', { agent_job: stage.agentJobId() });
      await stage.threadMessage(card, 'On it');
      await stage.threadMessage(card, "I'm watching that job now");
      await stage.complete(card);
      return oneThread({ posts: ['On it', 'Done'] });
    },
  },
  /** A mention in a thread without a job: whoever chose what goes along has it started there. */
  thread: {
    settings,
    playStrictly: async (stage, people) => {
      const root = await people.write('They got a 429', { user: bob });
      await people.write(`${bot} ${PROMPT}`, { threadTs: root.ts });
      const offer = await people.privateMessage('*Send this thread along?*');
      const choose = () => people.control.press(offer, 'choose_messages', alice);
      await people.fillIn(choose, '"thread_preview"', {});
      await stage.threadMessage(root, 'Working');
      await stage.complete(root);
      const told = ['*Send this thread along?*'];
      return oneThread({ rootTs: root.ts, posts: ['Done'] }, { told });
    },
  },
  /** An administrator has only mentions count in the channel. */
  settings: {
    settings: { ...settings, DOCS_AGENT_CONFIG: adminsFile },
    playStrictly: async (stage, people) => {
      const type = () => people.control.command({ channel: general, user: alice, text: 'settings' });
      await people.fillIn(type, '"settings"', { follow_up_mode: 'mentions' });
      const card = await stage.begin(PROMPT);
      await people.write('Only between us', { threadTs: card.ts });
      await people.write(`${bot} One`, { user: bob, threadTs: card.ts });
      await stage.receipt(`${bot} One`, 'white_check_mark');
      await stage.atWork();
      await stage.complete(card);
      return oneThread(
        { posts: ['On it', 'Done'], replies: ['One'] },
        { hints: ['Settings saved', 'Send what was said since'] },
      );
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
      await stage.threadMessage(card, 'On it');
      await people.insist(() => people.control.openHome(alice));
      await people.seenAtHome(prompt);
      await stage.complete(card);
      // On a busy machine, the agent may look the id up too late for the answer.
      const hints = ["I couldn't check that id"];
      return oneThread({ prompt, posts: ['On it', 'Done'] }, { hints });
    },
  },
} as const satisfies Record<string, StrictStory>;
