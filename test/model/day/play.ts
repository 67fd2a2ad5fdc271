import { startModelWorld } from '../support/model-world.ts';
import { People } from '../support/people.ts';
import { heal } from '../support/perform.ts';
import { quickenPauses } from '../support/quick-pauses.ts';
import { HOUR_MS, SECOND_MS } from '../support/steps.ts';
import { scriptOf } from '../support/turns.ts';
import { judge } from '../support/verdict.ts';
import { bigScene, configFile, populate, projects } from './big-company.ts';
import { bigDay, turns } from './big-day.ts';

/** Lives through the day; then lets everything heal, and returns what was not kept of the promise. */
export async function playBigDay(): Promise<string[]> {
  using _ = quickenPauses();
  let isHealing = false;
  await using world = await startModelWorld({
    mode: 'http',
    script: scriptOf(turns, () => isHealing),
    scene: bigScene,
    settings: { POLL_MIN_INTERVAL: '30s' },
    configFile,
    projects,
    hasLimits: true,
    stepMs: SECOND_MS,
  });
  populate(world.slack.control);
  const people = new People(world);
  const startMs = world.time.now();
  await world.replicas.start();
  for (const { atMs, happen } of bigDay()) {
    await world.time.pass(startMs + atMs - world.time.now());
    await happen(world, people);
  }
  await world.time.pass(HOUR_MS);
  isHealing = true;
  await heal(world, people, HOUR_MS);
  return judge(world, people, false);
}
