import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.ts';
import { KEY, type RunnerWorld, startRunnerWorld } from '../../runner/support/world.ts';
import { startAgentApi } from '../../support/agent-api/agent-api.ts';
import { Api, checks, problemOf } from './checks.ts';

const WITHIN_MS = 30_000;

test('the description is valid OpenAPI', async () => {
  const path = new URL('../../../docs/agent-api.openapi.yml', import.meta.url).pathname;
  expect(await new Validator().validate(path)).toEqual({ valid: true });
});

describe('the runner keeps the contract', () => {
  let world: RunnerWorld;
  let api: Api;
  beforeAll(async () => {
    world = await startRunnerWorld();
    const url = `http://127.0.0.1:${world.runner.port}`;
    api = new Api({ url, key: KEY, projectId: 'docs', prompt: 'Say something', withinMs: WITHIN_MS });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test.each(checks)('$title', async (check) => {
    expect(await problemOf(check, api)).toBeNull();
  });
});

const capabilities = ['idempotency', 'cancel', 'summary', 'activity'] as const;

describe.each([
  { offers: 'without extras', announces: [] },
  { offers: 'with extras', announces: capabilities },
])('the stand-in keeps the contract, $offers', ({ announces }) => {
  let standIn: Awaited<ReturnType<typeof startAgentApi>>;
  let api: Api;
  beforeAll(async () => {
    const projectId = 'docs';
    const script = () => ({ workMs: 100, ending: 'no_change' }) as const;
    standIn = await startAgentApi({ apiKey: KEY, projectId, clock: systemClock, script, announces });
    api = new Api({
      url: standIn.baseUrl,
      key: KEY,
      projectId,
      prompt: 'Say something',
      withinMs: WITHIN_MS,
    });
  });
  afterAll(() => standIn.close());

  test.each(checks)('$title', async (check) => {
    const isOffered = check.capability === null || announces.some((one) => one === check.capability);
    expect(await problemOf(check, api)).toBe(isOffered ? null : undefined);
  });
});
