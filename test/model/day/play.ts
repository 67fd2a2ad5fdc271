import { startModelWorld } from '../support/model-world.ts';
import { People } from '../support/people.ts';
import { heal } from '../support/perform.ts';
import { quickenPauses } from '../support/quick-pauses.ts';
import { HOUR_MS } from '../support/steps.ts';
import { scriptOf } from '../support/turns.ts';
import { judge } from '../support/verdict.ts';
import { type Day, momentsOf } from './day.ts';
import { type Delay, delaysOf } from './delays.ts';

export interface Played {
  /** What was not kept of the promise. */
  readonly wrong: readonly string[];
  /** Of what happened until an hour after the end of the day. */
  readonly delays: readonly Delay[];
  readonly counts: Readonly<Record<string, number>>;
}

/** Lives through the day, and through another hour; then lets everything heal, and judges. */
export async function play(day: Day): Promise<Played> {
  using _ = quickenPauses();
  let isHealing = false;
  await using world = await startModelWorld({
    mode: 'http',
    script: scriptOf(day.turns, () => isHealing),
    scene: day.scene,
    settings: day.settings,
    configFile: day.configFile,
    projects: day.projects,
    hasLimits: day.hasLimits,
    stepMs: day.stepMs,
  });
  const { time, replicas, troubles, slack, agent } = world;
  day.populate(slack.control);
  const people = new People(world);
  const startMs = time.now();
  await replicas.start();
  troubles.chance = day.chance;
  const moments = [...day.moments, ...day.troubles.flatMap(momentsOf)];
  for (const { atMs, happen } of moments.toSorted((one, other) => one.atMs - other.atMs)) {
    await time.pass(startMs + atMs - time.now());
    await happen(world, people);
  }
  await time.pass(HOUR_MS);
  const delays = await delaysOf(world, people, startMs);
  const reads = agent.calls.filter(({ operation }) => operation === 'get').length;
  const counts = {
    requests: people.asked.length,
    // A command that found no program: Slack says so, and delivers it no more.
    'of them refused at once': people.asked.filter((one) => !one.isAccepted && one.messageTs === null).length,
    replies: people.replies.length,
    'buttons pressed': people.presses.length,
    'reads of jobs': reads,
    'other calls to the agent': agent.calls.length - reads,
    'calls to Slack': slack.calls().length,
    'requests of Slack': slack.deliveries().length,
  };
  isHealing = true;
  await heal(world, people, day.patienceMs);
  return { wrong: await judge(world, people, day.patienceMs === undefined), delays, counts };
}
