import { fc } from '../../support/properties.ts';
import type { AgentFault } from './agent-front.ts';
import type { SlackFault } from './troubles.ts';

const slowMs = fc.integer({ min: 500, max: 9_000 });

export const anySlackFault: fc.Arbitrary<SlackFault> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.constantFrom<SlackFault>(
      'reset_before',
      'reset_after',
      'half_body',
      'error_after',
      { status: 500 },
      { status: 503, body: 'busy' },
      { status: 429, headers: { 'retry-after': '3' } },
      { status: 429, headers: { 'retry-after': '120' } },
      { error: 'ratelimited' },
      { error: 'internal_error' },
      { error: 'fatal_error' },
      { errorAfter: 'internal_error' },
    ),
  },
  { weight: 2, arbitrary: fc.record({ slowMs, isLate: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<SlackFault>({ error: 'token_revoked' }, { error: 'missing_scope' }),
  },
);

export const anyWebPage = fc.constant<SlackFault>({
  status: 200,
  body: '<!doctype html><title>Please sign in</title>',
});

/** Slack will never take it. */
export const anyRefusal = fc.constantFrom<SlackFault>(
  { error: 'msg_too_long' },
  { error: 'invalid_blocks' },
  { error: 'thread_not_found' },
);

export const anyAgentFault: fc.Arbitrary<AgentFault> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.constantFrom<AgentFault>(
      'reset_before',
      'reset_after',
      'half_body',
      'html',
      { status: 500 },
      { status: 502, body: 'bad gateway' },
      { status: 503, headers: { 'retry-after': '20' } },
      { status: 429 },
      { status: 429, headers: { 'retry-after': '600' } },
      { status: 401 },
      { status: 404 },
      { status: 400, body: { error: 'the prompt is too vague' } },
    ),
  },
  { weight: 2, arbitrary: slowMs.map((ms) => ({ slowMs: ms })) },
);
