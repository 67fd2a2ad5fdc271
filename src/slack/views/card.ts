import type { Job } from '../../jobs/job.ts';
import { message, paragraph, quotation, type SlackMessage, smallPrint, smallQuotation } from './message.ts';
import { type Mrkdwn, mrkdwn, timeOfDay, userMention } from './mrkdwn.ts';
import { pullRequest } from './pull-request.ts';
import { stateLine } from './state.ts';
import { oneLine, quotedPrompt, shown } from './untrusted.ts';
import { followUps } from './words.ts';

const PROMPT_MAX = 1500;
const REFUSAL_MAX = 500;
const FACT_MAX = 100;

/** The follow-ups of a job that wait, and until when, if that is known. */
export interface Queue {
  readonly waiting: number;
  readonly untilMs: number | null;
}

/**
 * The root message of a job's thread: the job as it is now.
 * @param names Slack ids to names, for the mentions in the prompt
 */
export function cardView(job: Job, queue: Queue, names: ReadonlyMap<string, string>): SlackMessage {
  const { stage, agentJob } = job;
  return message(
    paragraph(stateLine(job)),
    ...(stage.kind === 'rejected' ? [quotation(shown(stage.message, REFUSAL_MAX))] : []),
    quotation(quotedPrompt(job.prompt, names, PROMPT_MAX)),
    ...(agentJob?.prLink ? pullRequest(agentJob.prLink, { style: 'primary' }) : []),
    smallPrint(mrkdwn`Asked by ${userMention(job.requesterId)}`, ...progress(job, queue)),
    smallQuotation(...origin(job)),
  );
}

function origin({ projectName, agentJob }: Job): string[] {
  const facts = [
    ['Project', projectName],
    ['Repository', agentJob?.repository],
    ['Branch', agentJob?.ref],
    ['Model', agentJob?.model],
  ] as const;
  return facts.flatMap(([name, fact]) => (fact ? [`${name} ${oneLine(fact, FACT_MAX)}`] : []));
}

function progress(job: Job, queue: Queue): Mrkdwn[] {
  const facts: Mrkdwn[] = [];
  if (job.turn > 1) facts.push(mrkdwn`turn ${job.turn}`);
  if (job.sentFollowUps > 0) facts.push(mrkdwn`${followUps(job.sentFollowUps)} sent`);
  if (queue.waiting > 0) facts.push(waiting(job, queue));
  if (job.checkedAtMs !== null) facts.push(mrkdwn`last checked ${timeOfDay(job.checkedAtMs)}`);
  return facts;
}

function waiting({ trouble }: Job, queue: Queue): Mrkdwn {
  const reasons = {
    rate_limited: ' for the rate limit',
    unreachable: ' for the agent API',
    needs_admin: ' for an administrator',
  };
  const reason = trouble?.source !== 'send' ? '' : reasons[trouble.kind];
  const verb = queue.waiting === 1 ? 'waits' : 'wait';
  const until = queue.untilMs === null ? '' : mrkdwn` until ${timeOfDay(queue.untilMs)}`;
  return mrkdwn`${followUps(queue.waiting)} ${verb}${reason}${until}`;
}
