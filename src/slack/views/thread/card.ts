import type { Job } from '../../../jobs/job.ts';
import type { FollowUpMode } from '../../../jobs/policy.ts';
import type { Queue } from '../../../jobs/queue.ts';
import {
  buttons,
  message,
  type Part,
  paragraph,
  quotation,
  type SlackMessage,
  smallPrint,
  smallQuotation,
} from '../parts/message.ts';
import { type Mrkdwn, moment, mrkdwn, timeOfDay, userMention } from '../parts/mrkdwn.ts';
import { pullRequest } from '../parts/pull-request.ts';
import { stateLine } from '../parts/state.ts';
import { oneLine, quotedPrompt, shown } from '../parts/untrusted.ts';
import { followUps, onlyMentions } from '../parts/words.ts';
import { cardOffers } from './offers.ts';

/** A card is glanced at. */
const PROMPT_MAX = 600;
const REFUSAL_MAX = 500;
const FACT_MAX = 100;

/**
 * The root message of a job's thread: the job as it is now.
 * @param names Slack ids to names, for the mentions in the prompt
 */
export function cardView(
  job: Job,
  queue: Queue,
  names: ReadonlyMap<string, string>,
  mode: FollowUpMode = 'every_reply',
): SlackMessage {
  const { stage } = job;
  return message(
    paragraph(stateLine(job, mode)),
    ...(stage.kind === 'rejected' ? [quotation(shown(stage.message, REFUSAL_MAX))] : []),
    quotation(quotedPrompt(job.prompt, names, PROMPT_MAX)),
    ...row(job, queue),
    smallPrint(mrkdwn`Asked by ${userMention(job.requesterId)}`, ...progress(job, queue, mode)),
    smallQuotation(...origin(job)),
  );
}

/** The pull request, and what can be done. */
function row(job: Job, queue: Queue): Part[] {
  const offers = cardOffers(job, queue);
  const prLink = job.agentJob?.prLink;
  if (prLink) return pullRequest(prLink, { style: 'primary', beside: offers });
  return offers.length === 0 ? [] : [buttons(...offers)];
}

/** What the agent works on, as far as it is known. */
export function origin({ projectName, agentJob }: Job): string[] {
  const facts = [
    ['Project', projectName],
    ['Repository', agentJob?.repository],
    ['Branch', agentJob?.ref],
    ['Model', agentJob?.model],
  ] as const;
  return facts.flatMap(([name, fact]) => (fact ? [`${name} ${oneLine(fact, FACT_MAX)}`] : []));
}

function progress(job: Job, queue: Queue, mode: FollowUpMode): Mrkdwn[] {
  const facts: Mrkdwn[] = [];
  if (job.context !== '') facts.push(mrkdwn`with messages of this thread`);
  if (job.turn > 1) facts.push(mrkdwn`turn ${job.turn}`);
  if (job.sentFollowUps > 0) facts.push(mrkdwn`${followUps(job.sentFollowUps)} sent`);
  if (queue.waiting > 0) facts.push(waiting(job, queue));
  if (job.muted) facts.push(mrkdwn`🔇 Muted: only mentions reach the agent`);
  else if (mode === 'mentions') facts.push(mrkdwn`${onlyMentions}`);
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
  const until = queue.untilMs === null ? '' : mrkdwn` until ${moment(queue.untilMs)}`;
  return mrkdwn`${followUps(queue.waiting)} ${verb}${reason}${until}`;
}
