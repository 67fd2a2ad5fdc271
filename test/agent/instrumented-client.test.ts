import { expect, onTestFinished, test } from 'vitest';
import { createAgentClient } from '../../src/agent/client.ts';
import { startAgentApi } from '../support/agent-api/agent-api.ts';
import { createTestClock } from '../support/test-clock.ts';

const START_MS = Date.UTC(2026, 10, 20);

/** A client of a stand-in API, with the facts that are known of it. */
async function client() {
  const clock = createTestClock(START_MS);
  const api = await startAgentApi({
    apiKey: 'key',
    projectId: 'docs',
    clock,
    script: () => ({ workMs: 0, ending: 'manual' }),
  });
  onTestFinished(api.close);
  const noted = createAgentClient({
    baseUrl: api.baseUrl,
    apiKeyOf: (id) => (id === 'docs' ? 'key' : undefined),
    timeoutMs: 5_000,
    clock,
  });
  onTestFinished(() => noted.close());
  const ask = () => noted.createJob('docs', 'Explain').catch(() => null);
  return { clock, api, noted, facts: noted.factsOf, ask };
}

test('nothing is known of the API before it was asked', async () => {
  const { facts } = await client();
  expect(facts('docs')).toEqual({ answeredAtMs: null, trouble: null });
});

test('an outage is known from its first failure to the next answer', async () => {
  const { clock, api, facts, ask } = await client();
  await ask();
  await clock.advance(1_000);
  api.failAll({ status: 500 });
  await ask();
  await clock.advance(1_000);
  await ask();
  expect(facts('docs')).toEqual({
    answeredAtMs: START_MS,
    trouble: { kind: 'unreachable', sinceMs: START_MS + 1_000 },
    can: [],
  });
  api.failAll(null);
  await ask();
  expect(facts('docs')).toEqual({ answeredAtMs: START_MS + 2_000, trouble: null, can: [] });
});

test('a refused key is known of its project only; an unknown job is an answer', async () => {
  const { noted, facts } = await client();
  await expect(noted.createJob('other', 'Explain')).rejects.toThrow();
  await expect(noted.getJob('docs', 'nobody')).rejects.toThrow();
  expect(facts('other').trouble?.kind).toBe('needs_admin');
  expect(facts('docs')).toEqual({ answeredAtMs: START_MS, trouble: null });
});
