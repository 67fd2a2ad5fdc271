import { expect } from 'vitest';
import { present } from '../../support/is.ts';
import type { SlackMessage } from '../../support/local-slack.ts';
import { scrape } from '../../support/scraped.ts';
import { type Program, type ProgramOptions, startProgram } from '../../support/strict-slack/program.ts';
import { waitFor } from '../../support/wait-for.ts';

/** The program with a strict Slack, and what the tests of starting jobs look at. */
export interface StrictWorld extends Program {
  /** What the agent was given so far: of each job, its prompts. */
  prompts(): string[][];
  /** Waits, without moving the clock, until the agent has been given this prompt in a new job. */
  started(prompt: string): Promise<void>;
  /** Waits, without moving the clock, for a message in the channel. */
  seen(channel: string, what: (message: SlackMessage) => boolean): Promise<SlackMessage>;
  /** Waits, without moving the clock, for a private message with these words. */
  sentPrivately(channel: string, words: string): Promise<SlackMessage>;
  /** Lets so much time pass, and until nothing is under way. */
  settled(ms?: number): Promise<void>;
}

export async function startStrictWorld(options: ProgramOptions = {}): Promise<StrictWorld> {
  const program = await startProgram(options);
  const { slack, api, clock } = program;
  const prompts = () => api.jobs.map((job) => [...job.prompts]);
  const seen = (channel: string, what: (message: SlackMessage) => boolean) =>
    waitFor(async () => (await slack.control.messages(channel)).findLast(what), present, {
      what: `a message in ${channel}`,
    });
  const sending = async () =>
    (await scrape(program.service))['docs_agent_loop_tasks_in_flight{loop="send"}'] ?? 0;
  const more = {
    prompts,
    started: async (prompt: string) => {
      await expect
        .poll(() => prompts().map(([first]) => first), { message: `a job "${prompt}"` })
        .toContain(prompt);
    },
    seen,
    sentPrivately: (channel: string, words: string) =>
      seen(channel, ({ subtype, text }) => subtype === 'ephemeral' && text.includes(words)),
    settled: async (ms = 5_000) => {
      for (let passedMs = 0; passedMs < ms; passedMs += 1_000) {
        await clock.advance(1_000);
        await expect.poll(() => slack.inFlight(), { message: 'quiet' }).toBe(0);
        await expect.poll(sending, { message: 'nothing on its way to the agent' }).toBe(0);
      }
    },
  };
  return Object.assign(program, more);
}
