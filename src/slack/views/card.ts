import type { Button } from '@slack/types';
import type { Queue } from '../../jobs/follow-ups/follow-up.ts';
import { canStop, isUnwatched, type Job, mayStartAgain, shownLinkOf } from '../../jobs/job.ts';
import { buttons } from './buttons.ts';
import { askerOf, mutedWarning, pullRequest, type Sites, stateLine, undeliveredWarning } from './job.ts';
import {
  buttonRow,
  confirmations,
  heading,
  messageOfJob,
  type SlackMessage,
  smallQuotation,
  targetButton,
  untrustedParagraph,
} from './message.ts';
import {
  joined,
  type Mrkdwn,
  moment,
  mrkdwn,
  type Names,
  oneLine,
  type Parts,
  replies,
  titledPrompt,
} from './text.ts';

/** Has no effect after another start. A watched job's prompt is unknown. */
export function startAgain({ id: jobId, creates, watchedAgentJobId }: Job): Button | null {
  return watchedAgentJobId === null ? targetButton(buttons.startAgain, { jobId, creates }) : null;
}

export function startAgainOrEdit(job: Job): Parts<Button> {
  const again = startAgain(job);
  return again && [again, editAndStart(job)];
}

export function editAndStart({ id: jobId, creates }: Job): Button {
  return targetButton(buttons.editAndStart, { jobId, creates });
}

/** The card repeats the thread's offer, which Slack may have refused. */
export function cardActions(
  job: Job,
  { sendNow, undecided }: Pick<Queue, 'sendNow' | 'undecided'>,
): Parts<Button> {
  const { id: jobId, stage } = job;
  if (stage.kind === 'create_unknown') {
    return targetButton(buttons.resolveStart, { jobId, callId: stage.callId });
  }
  if (stage.kind === 'rejected') return editAndStart(job);
  if (stage.kind === 'ended' && stage.status === 'failed') return startAgainOrEdit(job);
  if (mayStartAgain(job)) return startAgain(job);
  if (isUnwatched(job) && stage.kind === 'working' && stage.question !== undefined) {
    return targetButton(buttons.resumeWatching, { jobId, question: stage.question.number });
  }
  if (undecided !== null) {
    const asks = undecided.mayBeThere ? confirmations.sendAgain : undefined;
    return targetButton(buttons.sendAgain, { jobId, callId: undecided.callId }, asks);
  }
  if (sendNow !== null) return targetButton(buttons.sendNow, { jobId, message: sendNow });
  const isPlainEnd =
    stage.kind === 'ended' &&
    stage.status === 'completed' &&
    stage.stoppedBy === undefined &&
    shownLinkOf(job) === null;
  return isPlainEnd && targetButton(buttons.followUp, { jobId });
}

export type CardFacts = Readonly<{ queue: Queue; names: Names; sites?: Sites }>;

export function cardView(job: Job, { queue, names, sites }: CardFacts): SlackMessage {
  const { id: jobId, agentJob, number } = job;
  const { title, rest } = titledPrompt(job.prompt, names);
  const stop = canStop(job) && !isUnwatched(job) && targetButton(buttons.stop, { jobId }, confirmations.stop);
  const beside = [stop, cardActions(job, queue), targetButton(buttons.details, { jobId })];
  const prLink = shownLinkOf(job);
  const asker = askerOf(job, names);
  const project = oneLine(job.projectName);
  const repository = agentJob?.repository;
  return messageOfJob(
    job,
    names,
    heading(title),
    rest !== null && untrustedParagraph(rest),
    joined([stateLine(job, sites, names), warningOf(job, queue)], '\n'),
    prLink ? pullRequest(prLink, beside, 'primary') : buttonRow(beside),
    smallQuotation(
      number > 0 && `#${number}`,
      asker !== null && `asked by ${oneLine(asker)}`,
      repository ? `${project} → ${oneLine(repository)}` : project,
      job.context !== '' && 'with messages from this thread',
      (job.snippets.length > 0 || job.inlined !== '') && 'with attached text',
    ),
  );
}

function warningOf({ trouble, muted }: Job, { waiting, untilMs, undecided }: Queue): Mrkdwn | null {
  if (undecided !== null) return undeliveredWarning(undecided.count);
  if (waiting === 0) return muted ? mutedWarning : null;
  const waits = mrkdwn`⏳ ${replies(waiting)} waiting`;
  if (trouble?.source === 'send' && trouble.kind === 'needs_admin') {
    return mrkdwn`${waits} for an administrator`;
  }
  return untilMs === null ? waits : mrkdwn`${waits} until ${moment(untilMs)}`;
}
