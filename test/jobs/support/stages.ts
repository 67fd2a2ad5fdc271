import type { AgentJob } from '../../../src/jobs/agent-job.ts';
import type { Policy } from '../../../src/jobs/policy.ts';
import { anAgentJob, failures, HOUR_MS, SECOND_MS } from './builders.ts';
import { World } from './world.ts';

/** The card is posted, and the create call is under way. */
export function aJobBeingCreated(policy: Partial<Policy> = {}): World {
  const world = new World(policy);
  world.cardPosted();
  return world;
}

/** The agent works on the prompt. */
export function aWorkingJob(policy: Partial<Policy> = {}): World {
  const world = aJobBeingCreated(policy);
  world.created();
  return world;
}

/** The first turn is over, after five seconds. */
export function anEndedJob(facts: Partial<AgentJob> = {}, policy: Partial<Policy> = {}): World {
  const world = aWorkingJob(policy);
  world.answer = anAgentJob({ status: 'completed', ...facts });
  world.advance(5 * SECOND_MS);
  return world;
}

/** A reply to the job goes out, and the API accepts it. */
export function followUp(world: World, text = 'Shorter, please'): void {
  world.reply(text);
  world.advance(4 * SECOND_MS);
  world.accepted();
}

/** The API has not known the job for two hours. */
export function aVanishedJob(): World {
  const world = aWorkingJob();
  world.answer = failures.notFound;
  world.advance(2 * HOUR_MS);
  return world;
}
