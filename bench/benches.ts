import { ack } from './ack.ts';
import { ackLoad } from './ack-load.ts';
import { checks } from './checks/checks.ts';
import { steady } from './checks/steady.ts';
import { cost } from './cost/cost.ts';
import { deliver } from './deliver/deliver.ts';
import { events } from './events.ts';
import { capacity } from './felt/capacity.ts';
import { felt } from './felt/felt.ts';
import { growth } from './growth/growth.ts';
import { memory } from './memory.ts';
import { replicas } from './replicas.ts';
import { runner } from './runner.ts';
import { start } from './start.ts';
import type { Bench } from './support/rows.ts';
import { tenants } from './tenants/tenants.ts';

/** By the name that the command line takes, in the order in which they run. */
export const benches: Readonly<Record<string, Bench>> = {
  ack,
  'ack-load': ackLoad,
  events,
  checks,
  steady,
  felt,
  capacity,
  deliver,
  cost,
  growth,
  replicas,
  tenants,
  memory,
  start,
  runner,
};
