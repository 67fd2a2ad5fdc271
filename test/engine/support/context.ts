import { randomUUID } from 'node:crypto';
import { answeredJobs } from '../../../src/agent/agent-tools.ts';
import { eventFeatures } from '../../../src/app/features.ts';
import { createLogger } from '../../../src/app/operations/logger.ts';
import type { Tools } from '../../../src/app/service/loops.ts';
import type { AnyJobContext } from '../../../src/engine/apply-event.ts';
import type { Rules } from '../../../src/jobs/policy.ts';
import { policy } from '../../jobs/support/builders.ts';

export const silentLog = createLogger({ level: 'error', destination: { write: () => {} } });

/** With these, an event is decided on as in the program, where nothing is set for any channel. */
export function contextAt(nowMs: number, projects: readonly Rules['projects'][number][] = []): AnyJobContext {
  const rulesOf = () => ({
    projects: projects as Rules['projects'],
    channels: new Map(),
    noticeChannels: [],
  });
  return { nowMs, jitter: 0.5, newId: randomUUID, policy, features: eventFeatures, rulesOf };
}

/** What the loops need besides a store, a clock, an agent and Slack. */
export const plainTools = {
  log: silentLog,
  promptMaxLength: 20_000,
  readsPerMinute: 600,
  hourlyBudget: 100,
  featureViews: {},
  codeHosts: [],
  known: {
    agent: () => ({ answeredAtMs: null, trouble: null }),
    slackProblem: () => null,
    services: () => [],
    workProblems: () => [],
  },
  requestsInFlight: () => 0,
  readablePrompt: async (_teamId, prompt) => prompt,
  readPictures: async () => [],
  show: () => {},
  teamIds: [],
  secretsOf: () => [],
  retentionMs: 86_400_000,
  featureSettingsOf: () => ({}),
} satisfies Partial<Tools>;

export function toolsWith(
  own: Pick<Tools, 'store' | 'clock' | 'agent' | 'workspaces' | 'newContext'> & Partial<Tools>,
): Tools {
  const stopping = new AbortController().signal;
  return { ...plainTools, answered: answeredJobs(), stopping, ...own };
}
