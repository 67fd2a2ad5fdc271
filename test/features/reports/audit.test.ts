import { expect, test } from 'vitest';
import { auditLine, startOf } from '../../../src/features/reports/audit.ts';
import type { Job } from '../../../src/jobs/job.ts';
import { aJob } from '../../support/a-job.ts';

const asked = { kind: 'awaiting_confirmation', sameAsJobId: null, thread: null } as const;
const failed = { kind: 'card_failed', reason: 'not_in_channel', thread: null } as const;
const draft = { kind: 'dropped', number: 1, formerThreadTs: null } as const;
const expired = { ...draft, why: 'expired', byUserId: null } as const;

test.each<[what: string, job: Partial<Job>, source: string, outcome: string]>([
  ['a job at work', { stage: { kind: 'creating' } }, 'command', 'open'],
  [
    'one whose start is unclear',
    { stage: { kind: 'create_unknown', callId: 'c', sinceMs: 0 } },
    'command',
    'unclear',
  ],
  ['one that is asked about', { stage: asked }, 'command', 'asked'],
  ['one without a card', { stage: failed }, 'command', 'no_card'],
  ['one that is watched', { watchedAgentJobId: 'job_1', stage: { kind: 'creating' } }, 'watch', 'open'],
  ['a draft that has expired', { stage: expired }, 'command', 'expired'],
  [
    'one by a webhook',
    { origin: { kind: 'webhook' }, stage: { kind: 'rejected', message: '' } },
    'webhook',
    'refused',
  ],
  [
    "an app's mention, of which there is a draft",
    {
      requesterId: null,
      origin: { kind: 'mention', app: { id: 'A1', name: 'CI', messageTs: '1.0', permalink: '' } },
      stage: { kind: 'draft', number: 1, thread: null, messages: [], postTs: null },
    },
    'mention',
    'draft',
  ],
])('an audit tells of %s (L4)', (_what, job, source, outcome) => {
  const line = auditLine(startOf(aJob({ ...job, prompt: 'Explain the limits' })), false);
  expect(line).toMatchObject({ action: 'start', source, outcome });
  expect(line).not.toHaveProperty('text');
  expect(auditLine(startOf(aJob({ prompt: 'Explain the limits' })), true).text).toBe('Explain the limits');
});
