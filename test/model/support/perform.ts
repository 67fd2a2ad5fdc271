import { expect } from 'vitest';
import type { ModelWorld } from './model-world.ts';
import type { People } from './people.ts';
import { HOUR_MS, type PersonAction, type Step } from './steps.ts';

/** Does the step, as far as it can be done now. */
export async function perform(world: ModelWorld, people: People, step: Step): Promise<void> {
  switch (step.do) {
    case 'together':
      await together(world, people, step.actions, step.copies);
      break;
    case 'pass':
      await world.time.pass(step.ms);
      break;
    case 'sleep':
      await world.time.sleep(step.ms);
      break;
    case 'slack_fails':
      world.troubles.planSlack(step.method, step.faults);
      break;
    case 'agent_fails':
      world.troubles.planAgent(step.operation, step.faults);
      break;
    case 'slack_outage':
      world.troubles.slackOutage = step.fault;
      await world.time.pass(step.ms);
      world.troubles.slackOutage = null;
      break;
    case 'agent_outage':
      if (step.fault === 'refused') await world.agent.down();
      else world.troubles.agentOutage = step.fault;
      await world.time.pass(step.ms);
      world.troubles.agentOutage = null;
      await world.agent.up();
      break;
    case 'restart':
      await world.replicas.stop(step.pick % world.replicas.count);
      await together(world, people, step.actions, 1);
      await world.time.pass(step.ms);
      await world.replicas.start();
      break;
    case 'cut':
      world.slack.socket.cut();
      await together(world, people, step.actions, 1);
      await expect.poll(world.isReachable, { message: 'another connection', timeout: 30_000 }).toBe(true);
      break;
    case 'archive':
    case 'vanish':
      endByHand(world, step.do, step.pick);
      break;
  }
}

async function together(
  world: ModelWorld,
  people: People,
  actions: readonly PersonAction[],
  copies: number,
): Promise<void> {
  // Commands and presses are never delivered again.
  world.slack.onDelivery(({ kind, attempt }) => (attempt > 0 ? 1 : kind === 'event' ? copies : copies || 1));
  await Promise.all(actions.map((action) => act(people, action)));
}

async function act(people: People, action: PersonAction): Promise<void> {
  switch (action.do) {
    case 'ask':
      return people.ask(action);
    case 'reply':
      return people.reply(action.pick, action.kind);
    case 'edit':
      return people.edit(action.pick);
    case 'remove':
      return people.remove(action.pick);
    case 'press':
      return people.press(action.pick, action.times);
  }
}

function endByHand({ api, troubles }: ModelWorld, how: 'archive' | 'vanish', pick: number): void {
  const job = api.jobs[pick % api.jobs.length];
  if (job === undefined) return;
  if (how === 'archive') api.finish(job.id, { status: 'archived' });
  else troubles.vanished.add(job.id);
}

const ROUNDS = 20;
/** A reply to a job that the API has forgotten, or that never ran, can be tried again as often as one likes. */
const IN_VAIN = /Job not found|There is no job yet/;
const ROUNDS_OF_VAIN_HOPE = 3;

/** All that Slack still tries to deliver, and all that was held up for hours, is done by then. */
const HELD_UP_MS = 24 * HOUR_MS;
/** Jobs are looked at for a day after their end. */
const LOOKED_AT_MS = 48 * HOUR_MS;

/**
 * Nothing goes wrong any more, Slack delivers all of its events, and people press every button that they have not
 * pressed yet, those that start a job first. Ends when nothing is planned and nothing is left to be pressed.
 */
export async function heal(world: ModelWorld, people: People): Promise<void> {
  world.troubles.end();
  await world.agent.up();
  world.slack.onDelivery(() => 1);
  await world.replicas.start();
  await world.time.passAll(HELD_UP_MS);
  for (let index = 0; index < world.replicas.count; index += 1) await world.replicas.stop(index);
  await world.replicas.start();
  const pressed = new Set<string>();
  let hopes = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    await world.time.passAll(LOOKED_AT_MS);
    const open = (await people.buttons()).filter(
      ({ message: { ts, text } }) =>
        !pressed.has(ts) &&
        !text.includes('It has no text.') &&
        !(IN_VAIN.test(text) && hopes >= ROUNDS_OF_VAIN_HOPE),
    );
    const starts = open.filter(({ actionId }) => actionId === 'start_again' || actionId === 'edit_and_start');
    const next = starts.length > 0 ? starts : open;
    if (next.length === 0) return;
    if (starts.length === 0) hopes += 1;
    for (const { message } of next) pressed.add(message.ts);
    await people.pressAll(next);
    await world.time.rest();
  }
  throw new Error('people press and press, and it does not come to an end');
}
