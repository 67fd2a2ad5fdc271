import { setTimeout as sleep } from 'node:timers/promises';
import type { StandInPullRequest } from '../../../demo/code-host/pull-request.ts';
import type { Job } from '../../../src/jobs/job.ts';
import { alice, bob, general, type SlackMessage } from '../../support/local-slack.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { Lives } from './lives.ts';
import type { Outside } from './outside.ts';
import type { StoreReader } from './store-reader.ts';

/** Each process that dies restarts the 20 seconds after which a post is surely absent; a play has up to three. */
const PATIENCE_MS = 240_000;
/** By then an ended job has been looked at a few times. */
const NO_LOOK_FOR_MS = 300;
/** What is planned for a later day, or by the clock. */
export const LATER_TASKS =
  "'check_ended_job', 'forget_step_token', 'start_recipe', 'post_digest', 'expire_draft'";
/** Nobody is quicker. */
export const AGAIN_AFTER_MS = 200;

/** People who do not know that the program may die at any moment; and what they see. */
export interface Stage {
  readonly lives: Lives;
  /** Types the command until it is accepted. */
  ask(prompt: string, channel?: string): Promise<void>;
  card(prompt: string): Promise<SlackMessage>;
  /** Writes in the thread, once. */
  write(card: SlackMessage, text: string): Promise<void>;
  /** Writes in the thread, and waits until the program knows of it. */
  reply(card: SlackMessage, text: string): Promise<void>;
  /** Changes a reply, as often as Slack has to tell of it. */
  edit(from: string, to: string): Promise<void>;
  /** Waits until the program knows how a reply that was sent reads since. */
  corrected(text: string): Promise<void>;
  /** Presses the button until the press is stored. */
  press(message: SlackMessage, actionId: string): Promise<void>;
  /** Waits for a message in the thread that contains the words. */
  threadMessage(card: SlackMessage, words: string): Promise<SlackMessage>;
  /** Waits until the reply has this receipt and no other. */
  receipt(text: string, name: 'eyes' | 'white_check_mark', channel?: string): Promise<void>;
  /** Waits for a message in the channel that contains the words. */
  seen(channel: string, words: string): Promise<SlackMessage>;
  /** Waits until the program has seen that the agent is at work. */
  atWork(): Promise<void>;
  /** Waits until a process has done this: the name of a commit or an outward call. */
  done(name: string): Promise<void>;
  /** The id of the newest agent job. */
  agentJobId(): string;
  /** A pull request that the agent may come to, with its address. */
  openPullRequest(): { readonly pull: StandInPullRequest; readonly url: string };
  /** Asks, and waits until the agent is said to work. Returns the card. */
  begin(prompt: string): Promise<SlackMessage>;
  /** Ends the turn of that job without a pull request, and waits until its thread says so. */
  complete(card: SlackMessage): Promise<SlackMessage>;
  /** Ends the turn of that job. */
  finish(status: string, prLink?: string): void;
  /** Waits for the kill of so many processes; default: of all that are meant to die. */
  killed(times?: number): Promise<void>;
  /** Waits until the program has nothing left to do. */
  idle(): Promise<void>;
}

/**
 * Makes a request while the program is up. False if the process died meanwhile, or if people see that the request was
 * not acknowledged, which the local Slack does not say.
 */
export async function attemptIn(lives: Lives, request: () => Promise<unknown>): Promise<boolean> {
  const life = await lives.up();
  const made = request().then((answer) => !isUnacknowledged(answer));
  return Promise.race([made, lives.ended(life).then(() => false), lives.failed]);
}

function isUnacknowledged(answer: unknown): boolean {
  return (
    typeof answer === 'object' && answer !== null && 'acknowledged' in answer && answer.acknowledged === false
  );
}

export function createStage(outside: Outside, lives: Lives, store: StoreReader): Stage {
  const { slack, api, codeHost } = outside;
  const until = <T>(read: () => T | Promise<T>, predicate: (value: T) => boolean, what: string) =>
    Promise.race([waitFor(read, predicate, { what, timeoutMs: PATIENCE_MS }), lives.failed]);
  const find = async (channel: string, matches: (message: SlackMessage) => boolean, what: string) => {
    let found: SlackMessage | undefined;
    await until(
      async () => {
        const messages = await slack.messages(channel);
        found = messages.find(matches);
        return messages.map(({ text }) => text);
      },
      () => found !== undefined,
      what,
    );
    if (found === undefined) throw new Error(`no ${what}`);
    return found;
  };
  const attempt = (request: () => Promise<unknown>) => attemptIn(lives, request);
  const jobs = async () =>
    (await store.query('select data from job')).map(({ data }): Job => JSON.parse(String(data)));
  const replies = async () =>
    (await store.query('select text from follow_up')).map(({ text }) => String(text));
  const isStored = async (text: string) => (await jobs()).some(({ prompt }) => prompt === text);
  const presses = async () =>
    (await store.query("select count(*) as howmany from inbound_request where key like 'press:%'"))[0]
      ?.howmany;
  const press = async (message: SlackMessage, actionId: string) => {
    const before = await presses();
    // The local Slack does not say whether a press met a process that was still alive: whoever sees that nothing
    // happens presses again.
    do await attempt(() => slack.press(message, actionId, alice));
    while ((await presses()) === before);
  };
  const write = async ({ channel, ts }: SlackMessage, text: string) => {
    await attempt(() => slack.message({ channel, user: bob, text, threadTs: ts }));
  };
  const agentJobId = () => {
    const job = api.jobs.at(-1);
    if (job === undefined) throw new Error('there is no agent job');
    return job.id;
  };
  const written = (text: string, channel = general) =>
    find(channel, (message) => message.text === text, `the reply "${text}"`);

  const ask = async (prompt: string, channel = general) => {
    const type = () => slack.command({ channel, user: alice, text: prompt });
    const refusals = async () =>
      (await slack.messages(channel)).filter(({ text }) => text.includes('Please try again')).length;
    // People type it again if nothing happens, or if they are asked to: on a busy machine, Slack is too slow.
    for (;;) {
      const before = await refusals();
      const isAcknowledged = await attempt(type);
      if ((isAcknowledged && (await refusals()) === before) || (await isStored(prompt))) return;
      await sleep(AGAIN_AFTER_MS);
    }
  };
  const findCard = (prompt: string) =>
    find(general, ({ thread_ts, text }) => thread_ts === undefined && text.includes(prompt), 'the card');
  const threadMessage = ({ channel, ts }: SlackMessage, words: string) =>
    find(
      channel,
      ({ thread_ts, text }) => thread_ts === ts && text.includes(words),
      `"${words}" in the thread`,
    );
  const finish = (status: string, prLink?: string) =>
    api.finish(agentJobId(), { status, ...(prLink === undefined ? {} : { prLink }) });

  return {
    lives,
    ask,
    card: findCard,
    begin: async (prompt) => {
      await ask(prompt);
      const card = await findCard(prompt);
      await threadMessage(card, 'On it');
      return card;
    },
    complete: (card) => {
      finish('completed');
      return threadMessage(card, 'Done, no pull request');
    },
    finish,
    threadMessage,
    write,
    reply: async (card, text) => {
      await write(card, text);
      await until(replies, (texts) => texts.includes(text), `the reply "${text}" in the store`);
    },
    edit: async (from, to) => {
      const message = await written(from);
      while (!(await attempt(() => slack.editMessage(message, to)))) {}
    },
    corrected: async (text) => {
      const known = async () =>
        (await store.query('select more from follow_up')).map(({ more }) => String(more));
      const isKnown = (all: string[]) => all.some((more) => more.includes(`"corrected":"${text}"`));
      await until(known, isKnown, `the correction "${text}" in the store`);
    },
    press,
    receipt: async (text, name, channel) => {
      await until(
        async () => slack.reactions(await written(text, channel)),
        (names) => names.join() === name,
        `the receipt ${name} of "${text}"`,
      );
    },
    seen: (channel, words) => find(channel, ({ text }) => text.includes(words), `"${words}" in ${channel}`),
    atWork: async () => {
      await until(
        jobs,
        ([job]) => job?.stage.kind === 'working' && job.stage.settle?.seenActive !== false,
        'the agent to be seen at work',
      );
    },
    done: async (name) => {
      await until(lives.done, (names) => names.includes(name), name);
    },
    agentJobId,
    openPullRequest: () => {
      const pull = codeHost.open({ repository: 'acme/docs' });
      return { pull, url: codeHost.githubLink(pull) };
    },
    killed: async (times = lives.kills.planned) => {
      await until(
        () => lives.kills.done,
        (kills) => kills >= times,
        `kill ${times}`,
      );
    },
    idle: async () => {
      await until(
        () => store.query('select kind, state from call where ended_at is null'),
        (calls) => calls.length === 0,
        'the end of all calls',
      );
      await until(
        // Jobs that have ended are looked at for a day: all of them once, and none of them soon again.
        () =>
          store.query(`select id, attempts from task
            where kind not in (${LATER_TASKS}) or run_at < ${Date.now() + NO_LOOK_FOR_MS}`),
        (tasks) => tasks.length === 0,
        'the end of all tasks',
      );
    },
  };
}
