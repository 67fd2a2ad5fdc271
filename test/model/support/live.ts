import type { Environment } from '../../../src/app/config/values.ts';
import { startModelWorld } from './model-world.ts';
import { People } from './people.ts';
import { heal, perform } from './perform.ts';
import { quickenPauses } from './quick-pauses.ts';
import type { Step } from './steps.ts';
import { scriptOf, type TurnPlan } from './turns.ts';
import { judge } from './verdict.ts';

export interface Life {
  readonly mode: 'http' | 'socket';
  /** Default: 1 */
  readonly replicas?: number;
  readonly settings: Environment;
  readonly turns: readonly TurnPlan[];
  readonly steps: readonly Step[];
}

/** Lives through it, lets everything heal, and returns what was not kept of the promise. */
export async function live({ mode, replicas = 1, settings, turns, steps }: Life): Promise<string[]> {
  using _ = quickenPauses();
  let isHealing = false;
  await using world = await startModelWorld({
    mode,
    replicas,
    script: scriptOf(turns, () => isHealing),
    settings: {
      POLL_MIN_INTERVAL: '10s',
      POLL_MAX_INTERVAL: '5m',
      ...settings,
    },
  });
  const people = new People(world);
  await world.replicas.start();
  for (const step of steps) await perform(world, people, step);
  isHealing = true;
  await heal(world, people);
  return await judge(world, people);
}
