import type { Job } from '#jobs/job.ts';
import { type Audited, type Reports, rowsOf } from './queries.ts';
import { fateOf, type Period } from './report.ts';

const ROWS_PER_PAGE = 200;

/** In order of time, stable within a moment. */
export async function* readAudit(reports: Reports, period: Period, withTexts: boolean) {
  const starts = rowsOf(async (after) => {
    const { rows, next } = await reports.jobs(period, null, after, ROWS_PER_PAGE);
    return { rows: rows.map(({ job }) => startOf(job)), next };
  });
  const replies = rowsOf((after) => reports.replies(period, after, ROWS_PER_PAGE));
  const recorded = rowsOf((after) => reports.recorded(period, after, ROWS_PER_PAGE));
  for await (const one of merged([starts, replies, recorded])) yield auditLine(one, withTexts);
}

async function* merged(sources: readonly AsyncGenerator<Audited>[]): AsyncGenerator<Audited> {
  const next = async (source: AsyncGenerator<Audited>) => {
    const { value } = await source.next();
    return value === undefined ? [] : [{ source, value }];
  };
  let heads = (await Promise.all(sources.map(next))).flat();
  while (heads.length > 0) {
    const first = heads.reduce((one, other) => (other.value.atMs < one.value.atMs ? other : one));
    yield first.value;
    const following = await next(first.source);
    heads = heads.flatMap((head) => (head === first ? following : [head]));
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
