import { describe, onTestFinished } from 'vitest';
import { parseConfig } from '../../../src/app/config/config.ts';
import { createLogger } from '../../../src/app/operations/logger.ts';
import { createService, type Service } from '../../../src/app/service.ts';
import { type StrictWorld, startStrictWorld } from '../../e2e/support/strict-world.ts';
import type { ChildEnv } from '../../support/child-program.ts';
import { createTestDatabase, testServerUrl } from '../../support/postgres.ts';

/** `describe` for tests with two replicas in this process, on one Postgres: skipped where there is none. */
export const describeStrictReplicas = describe.skipIf(testServerUrl === undefined);

/** `world.service` is one replica; another runs beside it, with a connection to Slack of its own. */
export async function startStrictReplicas(
  configFile: string,
  settings: ChildEnv = {},
): Promise<{ readonly world: StrictWorld; readonly replicas: readonly Service[] }> {
  const database = await createTestDatabase(testServerUrl ?? '');
  onTestFinished(() => database.drop());
  const world = await startStrictWorld({ configFile, settings: { DATABASE_URL: database.url, ...settings } });
  onTestFinished(() => world[Symbol.asyncDispose]());
  const log = createLogger({ level: 'error', destination: { write: () => {} } });
  const beside = createService(
    parseConfig(world.env, () => configFile),
    { clock: world.clock, log },
  );
  await beside.start();
  onTestFinished(() => beside.stop());
  return { world, replicas: [world.service, beside] };
}
