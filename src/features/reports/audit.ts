import type { Job } from '#jobs/job.ts';
import { type Audited, type Reports, slicesOf } from './queries.ts';
import { fateOf, type Period } from './report.ts';

/** In order of time, stable within a moment. */
export async function* readAudit(reports: Reports, period: Period, withTexts: boolean) {
  for await (const slice of slicesOf(period)) {
    const starts = (await reports.jobs(slice, null)).map(({ job }) => startOf(job));
    const entries = [...starts, ...(await reports.replies(slice)), ...(await reports.recorded(slice))];
    entries.sort((one, other) => one.atMs - other.atMs);
    yield* entries.map((entry) => auditLine(entry, withTexts));
  }
}

export function auditLine(audited: Audited, withTexts: boolean) {
  const { atMs, teamId, userId, action, source, jobId, outcome, text } = audited;
  return {
    at: new Date(atMs).toISOString(),
    ...{ team_id: teamId, user_id: userId, action, source, job_id: jobId, outcome },
    ...(withTexts && text !== undefined && { text }),
  };
}

export function startOf(job: Job): Audited {
  const { id: jobId, teamId, requesterId: userId, requestedAtMs: atMs, prompt: text } = job;
  const source = job.watchedAgentJobId === null ? job.origin.kind : 'watch';
  return { atMs, teamId, userId, action: 'start', source, jobId, outcome: outcomeOf(job), text };
}

function outcomeOf(job: Job) {
  const { stage } = job;
  if (stage.kind === 'awaiting_confirmation') return 'asked';
  if (stage.kind === 'card_failed') return 'no_card';
  if (stage.kind === 'draft') return stage.kind;
  return stage.kind === 'dropped' ? stage.why : (fateOf(job) ?? 'open');
}
