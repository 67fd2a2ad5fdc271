import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildEnv } from '../../../support/child-program.ts';
import { bob, general, random } from '../../../support/local-slack.ts';
import type { Expected } from '../checker/seen.ts';
import { agentCalls, notices } from '../outside.ts';
import type { Stage } from '../stage.ts';
import { nothing, oneThread, PR, PROMPT, settings } from './expected.ts';

/** What people do, each time waiting for what they have to see; and what must have happened in the end. */
export interface Story {
  readonly settings: ChildEnv;
  play(stage: Stage): Promise<Expected>;
}

/** In the local Slack. */
export const localStories = {
  /** A reply comes before there is a job, two more while the agent works. */
  replies: {
    settings,
    play: async (stage) => {
      stage.lives.busy.add(agentCalls.create);
      await stage.ask(PROMPT);
      const card = await stage.card(PROMPT);
      await stage.told(card, 'rate limit');
      await stage.reply(card, 'Early');
      await stage.receipt('Early', 'eyes');
      stage.lives.busy.delete(agentCalls.create);
      await stage.told(card, 'Working');
      await stage.receipt('Early', 'white_check_mark');
      await stage.reply(card, 'One');
      await stage.reply(card, 'Two');
      await stage.receipt('One', 'white_check_mark');
      await stage.receipt('Two', 'white_check_mark');
      await stage.atWork();
      stage.finish('completed', `${PR}/1`);
      await stage.told(card, '🎉');
      await stage.seen(notices, `${PR}/1`);
      return oneThread({
        posts: ['Working', 'Finished', '🎉'],
        replies: ['Early', 'One', 'Two'],
        links: [`${PR}/1`],
      });
    },
  },
  /** A follow-up fails after the first pull request, and the job is run again. */
  failure: {
    settings,
    play: async (stage) => {
      await stage.ask(PROMPT);
      const card = await stage.card(PROMPT);
      await stage.told(card, 'Working');
      stage.finish('completed', `${PR}/1`);
      await stage.told(card, '🎉');
      await stage.seen(notices, `${PR}/1`);
      // A kill that belongs to the end of this turn must not meet the next one.
      await stage.quiet();
      await stage.reply(card, 'More');
      await stage.told(card, 'turn 2');
      stage.finish('failed');
      const failed = await stage.told(card, 'Failed');
      await stage.press(failed, 'run_again');
      await stage.told(card, 'turn 3');
      stage.finish('completed', `${PR}/2`);
      await stage.told(card, `${PR}/2`);
      await stage.seen(notices, `${PR}/2`);
      return oneThread({
        starts: 2,
        posts: ['Working', 'Finished', '🎉', 'turn 2', 'Failed', 'turn 3', 'Finished', '🎉'],
        replies: ['More'],
        links: [`${PR}/1`, `${PR}/2`],
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
      await stage.told(card, 'rate limit');
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
      stage.finish('completed');
      await stage.told(card, 'no files changed');
      return oneThread(
        { posts: ['Working', 'Finished'], replies: ['As edited'] },
        { hints: ['Edited after'] },
      );
    },
  },
  /** The thread is kept to the people, and for a while the agent has no news. */
  mute: {
    settings,
    play: async (stage) => {
      await stage.ask(PROMPT);
      const card = await stage.card(PROMPT);
      await stage.told(card, 'Working');
      await stage.write(card, 'mute');
      await stage.seen(general, 'Muted: only mentions');
      await stage.atWork();
      await stage.done('put off quiet checks');
      await stage.done('plan refresh_card');
      stage.finish('completed');
      await stage.told(card, 'no files changed');
      return oneThread({ posts: ['Working', 'Muted by', 'Finished'] });
    },
  },
  /** The card stands in its channel, and is answered, before the program knows of it. */
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
      stage.finish('completed');
      await stage.told(card, 'no files changed');
      return oneThread({ posts: ['Working', 'Finished'], replies: ['Early'] });
    },
  },
  /** Nobody told the program of a reply; another is written before it can read the thread. */
  missed: {
    settings,
    play: async (stage) => {
      await stage.ask(PROMPT);
      const card = await stage.card(PROMPT);
      await stage.told(card, 'Working');
      stage.lives.busy.add('conversations.replies');
      await stage.write(card, 'One');
      await stage.killed(1);
      // If the process dies before it has stored it, nobody tells it of this one, either.
      await stage.write(card, 'Two');
      // Many times the window in which replies are put together.
      await sleep(4_000);
      stage.lives.busy.delete('conversations.replies');
      await stage.receipt('One', 'white_check_mark');
      await stage.receipt('Two', 'white_check_mark');
      await stage.atWork();
      stage.finish('completed');
      await stage.told(card, 'no files changed');
      return oneThread({ posts: ['Working', 'Finished'], replies: ['One', 'Two'] });
    },
  },
  /** The bot is not in the channel. */
  refusal: {
    settings,
    play: async (stage) => {
      await stage.ask(`Ask <@${bob}>`, random);
      await stage.seen(random, 'Not started');
      return { ...nothing, refused: ['Ask @bob'] };
    },
  },
} as const satisfies Record<string, Story>;
