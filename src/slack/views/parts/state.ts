import { type EndedStatus, isEnded } from '../../../jobs/agent-job.ts';
import {
  isUnseen,
  isUnwatched,
  type Job,
  type Stage,
  type Trouble,
  type TroubleKind,
} from '../../../jobs/job.ts';
import type { FollowUpMode } from '../../../jobs/policy.ts';
import { type Mrkdwn, moment, mrkdwn } from './mrkdwn.ts';
import { oneLine } from './untrusted.ts';
import { replyTo, type Sign, signs, troubleSigns } from './words.ts';

const STATUS_MAX = 100;
const ID_MAX = 100;

/** A job's state in one line: icon, word, and what there is to add. */
export function stateLine(job: Job, mode: FollowUpMode): Mrkdwn {
  const trouble = headlineTrouble(job);
  if (trouble !== null) return troubleLine(trouble.kind, trouble.retryAtMs);
  const { stage } = job;
  switch (stage.kind) {
    case 'asking':
      return line(signs.asking);
    case 'opening':
    case 'creating':
      return line(signs.starting);
    case 'unopened':
      return line(signs.notStarted);
    case 'create_unknown':
      return line(signs.startUnknown, mrkdwn`the job may or may not have started`);
    case 'rejected':
      return line(signs.refused, mrkdwn`the agent API did not take the prompt`);
    case 'working':
      if (isUnwatched(job)) return line(signs.unwatched, mrkdwn`the agent itself goes on`);
      return workingLine(job.agentJob?.status ?? 'active');
    case 'ended':
      if (stage.status === 'vanished' && isUnseen(job)) return noSuchJobLine(job);
      return endedLine(stage.status, job.agentJob?.prLink ?? null, mode);
  }
}

/** An icon and a word, then what there is to add. */
export function line({ icon, word }: Sign, ...details: readonly Mrkdwn[]): Mrkdwn {
  return details.reduce((said, detail) => mrkdwn`${said} · ${detail}`, mrkdwn`${icon} *${word}*`);
}

/** A status that this program does not know, as it is. */
export function otherStatusLine(status: string): Mrkdwn {
  return line(signs.otherStatus, mrkdwn`${oneLine(status, STATUS_MAX)}`);
}

/** The trouble that is the state now. One that only holds up follow-ups is told beside them. */
function headlineTrouble(job: Job): Trouble | null {
  const isOutOfSight = job.stage.kind === 'working' && job.trouble?.source === 'check';
  return isOutOfSight || isStarting(job.stage) ? job.trouble : null;
}

/** Then there is no agent job yet, and a trouble holds up its start. */
function isStarting({ kind }: Stage): boolean {
  return kind === 'opening' || kind === 'creating';
}

/** What keeps a job from going on, and until when. */
export function troubleLine(kind: TroubleKind, retryAtMs: number): Mrkdwn {
  const sign = troubleSigns[kind];
  switch (kind) {
    case 'rate_limited':
      return line(sign, mrkdwn`until ${moment(retryAtMs)}`);
    case 'unreachable':
      return line(sign, mrkdwn`next try ${moment(retryAtMs)}`);
    case 'needs_admin':
      return line(sign, mrkdwn`the request is kept, and goes on when this is mended`);
  }
}

/** The API may still answer the end of the turn before: then the agent is at work all the same. */
function workingLine(status: string): Mrkdwn {
  return status === 'active' || isEnded(status) ? line(signs.working) : otherStatusLine(status);
}

/** A turn is over, and what there is to add. */
export function finishedLine(mode: FollowUpMode, ...details: readonly Mrkdwn[]): Mrkdwn {
  return line(signs.finished, ...details, mrkdwn`${replyTo('ask for changes', mode)}`);
}

/** The job that was to be watched is not there. */
export function noSuchJobLine({ attachedTo, projectName }: Job): Mrkdwn {
  const id = oneLine(attachedTo ?? '', ID_MAX);
  const project = oneLine(projectName, ID_MAX);
  return line(signs.noSuchJob, mrkdwn`the agent API knows no job “${id}” in the project ${project}`);
}

/** How a job ended. */
export function endedLine(
  status: EndedStatus | 'vanished',
  prLink: string | null,
  mode: FollowUpMode,
): Mrkdwn {
  switch (status) {
    case 'completed':
      return prLink === null ? finishedLine(mode, mrkdwn`no files changed`) : finishedLine(mode);
    case 'failed':
      return line(signs.failed);
    case 'archived':
      return line(signs.archived);
    case 'vanished':
      return line(signs.vanished, mrkdwn`the agent API does not know this job any more`);
  }
}
