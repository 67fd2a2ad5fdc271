import { setTimeout as sleep } from 'node:timers/promises';
import type { Capability } from '../../../support/agent-api/scripted-job.ts';
import type { ChildEnv } from '../../../support/child-program.ts';
import { bob, general, random } from '../../../support/local-slack.ts';
import { agentCalls, notices } from '../outside.ts';
import type { Expected } from '../problems.ts';
import type { Stage } from '../stage.ts';
import { nothing, oneThread, PR, PROMPT, settings } from './expected.ts';

/** What people do, each time waiting for what they have to see; and what must have happened in the end. */
export interface Story {
  readonly settings: ChildEnv;
  /** What the agent API offers besides the seed; absent: nothing. */
  readonly announces?: readonly Capability[];
  play(stage: Stage): Promise<Expected>;
}

/** In the local Slack. */
export const localStories = {
  /** A reply is written before there is a job, two more while the agent works. */
  replies: {
    settings,
    play: async (stage) => {
      stage.lives.busy.add(agentCalls.create);
      await stage.ask(PROMPT);
      const card = await stage.card(PROMPT);
      await stage.seen(general, 'hourly limit');
      await stage.reply(card, 'Early');
      await stage.receipt('Early', 'eyes');
      stage.lives.busy.delete(agentCalls.create);
      await stage.threadMessage(card, 'On it');
      await stage.receipt('Early', 'white_check_mark');
      await stage.reply(card, 'One');
      await stage.reply(card, 'Two');
      await stage.receipt('One', 'white_check_mark');
      await stage.receipt('Two', 'white_check_mark');
      await stage.atWork();
      stage.finish('completed', `${PR}/1`);
      await stage.threadMessage(card, '🎉');
      await stage.seen(notices, `${PR}/1`);
      return oneThread({
        posts: ['On it', '🎉'],
        replies: ['Early', 'One', 'Two'],
      });
    },
  },
  /** A follow-up fails after the first pull request, and the job is run again. */
  failure: {
    settings,
    play: async (stage) => {
      const card = await stage.begin(PROMPT);
      stage.finish('completed', `${PR}/1`);
      await stage.threadMessage(card, '🎉');
      await stage.seen(notices, `${PR}/1`);
      // A kill that belongs to the end of this turn must not meet the next one.
      await stage.idle();
      await stage.reply(card, 'More');
      await stage.atWork();
      stage.finish('failed');
      const failed = await stage.threadMessage(card, 'Failed');
      await stage.press(failed, 'start_again');
      await stage.atWork();
      stage.finish('completed', `${PR}/2`);
      await stage.threadMessage(card, `${PR}/2`);
      await stage.seen(notices, `${PR}/2`);
      return oneThread({
        posts: ['On it', '🎉', 'Failed', 'On it', '🎉'],
        replies: ['More'],
      });
    },
  },
  /** The agent knows repeated calls, and can be stopped. */
  stopped: {
    settings,
    announces: ['idempotency', 'cancel'],
    play: async (stage) => {
      const card = await stage.begin(PROMPT);
      stage.finish('failed');
      await stage.press(await stage.threadMessage(card, 'Failed'), 'start_again');
      await stage.atWork();
      await stage.reply(card, 'More');
      await stage.receipt('More', 'white_check_mark');
      await stage.seen(general, '[Stop]');
      await stage.press(await stage.card(PROMPT), 'stop');
      await stage.threadMessage(card, 'Stopped');
      return oneThread({
        posts: ['On it', 'Failed', 'On it', 'Stopped'],
        replies: ['More'],
        end: 'Stopped',
      });
    },
  },
  /** A reply is changed while it waits. */
  edit: {
    settings,
    play: async (stage) => {
      stage.lives.busy.add(agentCalls.create);
      await stage.ask(PROMPT);
      const card = await stage.card(PROMPT);
      await stage.seen(general, 'hourly limit');
      await stage.reply(card, 'As written');
      await stage.receipt('As written', 'eyes');
      await stage.edit('As written', 'As edited');
      await stage.done('retry create_job, put off call_agent');
      stage.lives.busy.delete(agentCalls.create);
      await stage.receipt('As edited', 'white_check_mark');
      await stage.edit('As edited', 'As corrected');
      await stage.corrected('As corrected');
      await stage.edit('As corrected', 'As edited');
      await stage.atWork();
      await stage.complete(card);
      return oneThread(
        { posts: ['On it', 'Done'], replies: ['As edited'] },
        { hints: ['You edited a reply'] },
      );
    },
  },
  /** The thread is kept to the people, and for a while the agent has no news. */
  mute: {
    settings,
    play: async (stage) => {
      const card = await stage.begin(PROMPT);
      await stage.write(card, 'mute');
      await stage.seen(general, 'Muted: only mentions');
      await stage.atWork();
      await stage.done('put off unchanged checks');
      await stage.complete(card);
      return oneThread({ posts: ['On it', 'Muted by', 'Done'] });
    },
  },
  /** The card is in its channel, and answered, before the program knows of it. */
  unknownCard: {
    settings,
    play: async (stage) => {
      stage.lives.busy.add('conversations.history');
      await stage.ask(PROMPT);
      await stage.killed(1);
      const card = await stage.card(PROMPT);
      await stage.write(card, 'Early');
      stage.lives.busy.delete('conversations.history');
      await stage.receipt('Early', 'white_check_mark');
      await stage.atWork();
      await stage.complete(card);
      return oneThread({ posts: ['On it', 'Done'], replies: ['Early'] });
    },
  },
  /** The event of a reply was lost; another reply is written before the program can read the thread. */
  missed: {
    settings,
    play: async (stage) => {
      const card = await stage.begin(PROMPT);
      stage.lives.busy.add('conversations.replies');
      await stage.write(card, 'One');
      await stage.killed(1);
      // If the process dies before it has stored this one, its event is lost as well.
      await stage.write(card, 'Two');
      await stage.killed();
      // Many times the window in which replies are put together.
      await sleep(4_000);
      stage.lives.busy.delete('conversations.replies');
      await stage.receipt('One', 'white_check_mark');
      await stage.receipt('Two', 'white_check_mark');
      await stage.atWork();
      await stage.complete(card);
      return oneThread({ posts: ['On it', 'Done'], replies: ['One', 'Two'] });
    },
  },
  /** People are reminded of a pull request, want to be again, and it is merged. */
  merge: {
    settings: { ...settings, PR_REMINDER_AFTER: '2s' },
    play: async (stage) => {
      const { pull, url } = stage.openPullRequest();
      const card = await stage.begin(PROMPT);
      stage.finish('completed', url);
      await stage.threadMessage(card, '🎉');
      await stage.seen(notices, url);
      const first = await stage.threadMessage(card, 'Open for');
      await stage.press(first, 'remind_again');
      await stage.threadMessage(card, 'wants to be reminded again');
      const second = await stage.threadMessage(card, 'Still open:');
      pull.merge('octocat');
      await stage.press(second, 'remind_again');
      await stage.threadMessage(card, 'Merged');
      const posts = ['On it', 'took', 'Open for', 'Still open', '*Merged* by'];
      return oneThread({ posts, end: 'Merged' });
    },
  },
  /** The bot is not in the channel. */
  refusal: {
    settings,
    play: async (stage) => {
      await stage.ask(`Ask <@${bob}>`, random);
      await stage.seen(random, 'Ask in another one');
      return { ...nothing, told: ['Ask @bob'] };
    },
  },
} as const satisfies Record<string, Story>;
