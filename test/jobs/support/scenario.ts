import { readdirSync, readFileSync } from 'node:fs';
import type { AgentFailure, AgentJob } from '../../../src/jobs/agent-job.ts';
import type { Policy } from '../../../src/jobs/policy.ts';
import { aFailure, anAgentJob } from './builders.ts';
import { START_MS, World } from './world.ts';

const FOLDER = new URL('../../scenarios/', import.meta.url);

/** A recorded thread: what happened when, and the calls and announcements that had to follow, in order. */
export interface Scenario {
  readonly about: string;
  readonly policy: Partial<Policy>;
  readonly steps: readonly Step[];
  readonly expected: readonly string[];
}

/** `at` is in seconds since the request. Agent jobs and failures name only what differs from the builders'. */
export type Step = { readonly at: number } & (
  | { readonly do: 'card_posted' }
  | { readonly do: 'created'; readonly job: Partial<AgentJob> }
  | { readonly do: 'create_fails'; readonly failure: Partial<AgentFailure> }
  | { readonly do: 'reply'; readonly text: string }
  | { readonly do: 'message_accepted' }
  | { readonly do: 'message_fails'; readonly failure: Partial<AgentFailure> }
  | { readonly do: 'get_answers'; readonly job: Partial<AgentJob> }
  | { readonly do: 'get_fails'; readonly failure: Partial<AgentFailure> }
  | { readonly do: 'press'; readonly button: 'start_again' | 'resend' }
  | { readonly do: 'nothing' }
);

export function readScenarios(): Scenario[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')));
}

/** Plays the steps, with the checks and sends that fall due between them, and returns what followed. */
export function replay({ policy, steps }: Scenario): string[] {
  const world = new World(policy);
  for (const step of steps) {
    world.advance(START_MS + step.at * 1000 - world.nowMs);
    play(world, step);
  }
  return world.transcript;
}

function play(world: World, step: Step): void {
  switch (step.do) {
    case 'card_posted':
      world.cardPosted();
      break;
    case 'created':
      world.created(step.job);
      break;
    case 'create_fails':
      world.createFails(aFailure(step.failure));
      break;
    case 'reply':
      world.reply(step.text);
      break;
    case 'message_accepted':
      world.accepted();
      break;
    case 'message_fails':
      world.messageFails(aFailure(step.failure));
      break;
    case 'get_answers':
      world.answer = anAgentJob({ id: world.job.agentJob?.id ?? 'none', ...step.job });
      break;
    case 'get_fails':
      world.answer = aFailure(step.failure);
      break;
    case 'press':
      press(world, step.button);
      break;
    case 'nothing':
      break;
  }
}

function press(world: World, button: 'start_again' | 'resend'): void {
  const callId = world.buttonCallId;
  world.apply(
    button === 'start_again'
      ? { type: 'start_again_pressed', creates: world.job.creates, callId }
      : { type: 'resend_pressed', callId },
  );
}
