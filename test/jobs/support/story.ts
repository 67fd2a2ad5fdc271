import type { AgentFailure, AgentJob } from '../../../src/jobs/agent-job.ts';
import type { JobEvent, Reply } from '../../../src/jobs/event.ts';
import { anAgentJob, aReply, SECOND_MS } from './builders.ts';
import { followUp } from './stages.ts';
import type { World } from './world.ts';

/** Something that happens to a job. */
export type Step = (world: World) => void;

export function live(world: World, ...steps: readonly Step[]): World {
  for (const step of steps) step(world);
  return world;
}

/** What the thread is told from now on. */
export function heard(world: World, ...steps: readonly Step[]): string[] {
  const { length } = world.news;
  return live(world, ...steps).news.slice(length);
}

/** The timestamp of a reply by its place in the thread, from 1. */
export const tsOf = (number: number) => `2.${String(number).padStart(6, '0')}`;

export const says =
  (text: string, facts: Partial<Reply> = {}): Step =>
  (world) =>
    world.reply(text, facts);

/** The author edits a reply, later than all edits before. */
export const edits =
  (number: number, text: string, facts: Partial<Reply> = {}): Step =>
  (world) => {
    const editedTs = `9.${String(world.events.length).padStart(6, '0')}`;
    world.apply({
      type: 'reply_edited',
      reply: aReply({ messageTs: tsOf(number), text, editedTs, ...facts }),
    });
  };

export const happens =
  (event: JobEvent | ((world: World) => JobEvent)): Step =>
  (world) =>
    void world.apply(typeof event === 'function' ? event(world) : event);

export const removes = (number: number) => happens({ type: 'reply_deleted', messageTs: tsOf(number) });

export const passes =
  (ms: number): Step =>
  (world) =>
    world.advance(ms);

/** Time passes, and nothing that falls due is done. */
export const laterBy =
  (ms: number): Step =>
  (world) => {
    world.nowMs += ms;
  };

/** The window for replies is over. */
export const goesOut = passes(4 * SECOND_MS);

export const accepts: Step = (world) => world.accepted();

/** The call that is under way fails. */
export const fails =
  (failure: AgentFailure): Step =>
  (world) =>
    world.open('create_job').length > 0 ? world.createFails(failure) : world.messageFails(failure);

/** The API says so from now on, and time passes. */
export const shows =
  (answer: Partial<AgentJob> | AgentFailure, forMs = 5 * SECOND_MS): Step =>
  (world) => {
    world.answer = 'outcome' in answer ? answer : anAgentJob(answer);
    world.advance(forMs);
  };

/** The API is asked now, and says so. */
export const checked =
  (answer: Partial<AgentJob> | AgentFailure): Step =>
  (world) =>
    void world.check('outcome' in answer ? answer : anAgentJob(answer));

/** A reply goes out, and the API accepts it. */
export const follows =
  (text?: string): Step =>
  (world) =>
    followUp(world, text);

export const startsAgain = happens(({ job }) => ({ type: 'start_again_pressed', creates: job.creates }));

/** *Send again*, of the last message that offers it. */
export const resends = happens(({ buttonCallId }) => ({ type: 'resend_pressed', callId: buttonCallId }));
