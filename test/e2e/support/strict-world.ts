import { expect } from 'vitest';
import { includes, present } from '../../support/is.ts';
import { alice, general, type SlackMessage } from '../../support/local-slack.ts';
import { scrape } from '../../support/scraped.ts';
import type { StrictControl } from '../../support/strict-slack/control.ts';
import { type ProgramOptions, startProgram } from '../../support/strict-slack/program.ts';
import { waitFor } from '../../support/wait-for.ts';

type Draft = Parameters<StrictControl['message']>[0];
type Values = Parameters<StrictControl['submit']>[1];
export type StrictWorld = Awaited<ReturnType<typeof startStrictWorld>>;

/** The program with a strict Slack, and what people do and see there: alice, in `general`, unless a test says more. */
export async function startStrictWorld(options: ProgramOptions = {}) {
  const program = await startProgram(options);
  const { slack, api, clock } = program;
  const { control } = slack;
  const prompts = () => api.jobs.map((job) => [...job.prompts]);
  const seen = (channel: string, what: (message: SlackMessage) => boolean) =>
    waitFor(async () => (await control.messages(channel)).findLast(what), present, {
      what: `a message in ${channel}`,
    });
  const sending = async () =>
    (await scrape(program.service))['docs_agent_loop_tasks_in_flight{loop="send"}'] ?? 0;
  const form = (user = alice) => JSON.stringify(control.modal(user)?.blocks) ?? '';
  const more = {
    /** What the agent was given so far: of each job, its prompts. */
    prompts,
    /** Waits, without moving the clock, until the agent has been given this prompt in a new job. */
    started: async (prompt: string) => {
      await expect
        .poll(() => prompts().map(([first]) => first), { message: `a job "${prompt}"` })
        .toContain(prompt);
    },
    /** Waits, without moving the clock, for a message in the channel. */
    seen,
    /** Waits, without moving the clock, for a private message with these words. */
    sentPrivately: (channel: string, words: string) =>
      seen(channel, ({ subtype, text }) => subtype === 'ephemeral' && text.includes(words)),
    /** Lets so much time pass, and until nothing is under way. */
    settled: async (ms = 5_000) => {
      for (let passedMs = 0; passedMs < ms; passedMs += 1_000) {
        await clock.advance(1_000);
        await expect.poll(() => slack.inFlight(), { message: 'quiet' }).toBe(0);
        await expect.poll(sending, { message: 'nothing on its way to the agent' }).toBe(0);
      }
    },
    say: (text: string, draft: Partial<Draft> = {}) =>
      control.message({ channel: general, user: alice, text, ...draft }),
    command: (text: string, user = alice, channel = general) => control.command({ channel, user, text }),
    /** Submits the form that the person sees. What they read at its fields, or null. */
    submit: async (values: Values = {}, user = alice) => (await control.submit(user, values)).errors,
    /** The form that the person sees, as text; empty: none. */
    form,
    /** Waits, without moving the clock, until the form has these words, and returns it. */
    formShows: (words: string, user = alice) =>
      waitFor(() => form(user), includes(words), { what: `a form with "${words}"` }),
    /** The messages of the thread, without its root. */
    thread: async ({ channel, ts }: SlackMessage) =>
      (await control.thread(channel, ts)).filter((one) => one.ts !== ts),
    /** What the program said to the person in private answers there. */
    privately: async (user = alice, channel = general) =>
      (await control.messages(channel))
        .filter(({ ephemeral_to: viewer }) => viewer === user)
        .map(({ text }) => text),
  };
  return Object.assign(program, more);
}
