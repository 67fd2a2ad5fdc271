import type { FollowUp } from '../../jobs/follow-up.ts';
import type { Job } from '../../jobs/job.ts';
import type { Outcome, Turn } from '../../jobs/turns.ts';
import { threadLink } from '../protocol/thread-link.ts';
import { briefState, type Reader } from './parts/job-line.ts';
import {
  buttons,
  message,
  openThreadButton,
  type Part,
  paragraph,
  quotation,
  type SlackMessage,
  smallPrint,
  smallQuotation,
} from './parts/message.ts';
import { channelMention, type Mrkdwn, moment, mrkdwn, timeOfDay, userMention } from './parts/mrkdwn.ts';
import { httpUrl, pullRequest } from './parts/pull-request.ts';
import { line, troubleLine } from './parts/state.ts';
import { oneLine, quotedPrompt, shown } from './parts/untrusted.ts';
import { followUps, signs } from './parts/words.ts';
import { origin } from './thread/card.ts';
import { isBetweenPeople, tryAgainButton } from './thread/requester.ts';

const PROMPT_MAX = 600;
const TEXT_MAX = 100;
const ID_MAX = 50;
const REFUSAL_MAX = 200;
const SPOKEN_PULL_REQUEST_MAX = 300;
const TURNS_MAX = 5;
const UNSENT_MAX = 3;
/** The time at which it was made, to the millisecond, stands first in an id, and names a job well enough. */
const SHORT_ID_LENGTH = 13;

/** All that is known of a job. */
export interface JobStory {
  readonly job: Job;
  readonly turns: readonly Turn[];
  /** Oldest first. */
  readonly unsent: readonly FollowUp[];
}

/** One job in full, for one person. */
export function statusView({ job, turns, unsent }: JobStory, reader: Reader): SlackMessage {
  const { stage } = job;
  return message(
    paragraph(briefState(job)),
    ...(stage.kind === 'rejected' ? [quotation(shown(stage.message, REFUSAL_MAX))] : []),
    quotation(quotedPrompt(job.prompt, reader.names, PROMPT_MAX)),
    ...links(job, reader),
    ...again(job, reader),
    smallPrint(...history(job)),
    smallQuotation(...origin(job), ...agentJobId(job)),
    ...turnParts(turns, reader),
    ...unsentParts(unsent, reader),
    ...troubleParts(job),
    smallPrint(mrkdwn`\`/docs-agent status ${shortId(job)}\` shows this again`),
  );
}

/** Of the modal that shows a job over the home tab. */
export const jobModalTitle = 'Job';

export function noSuchJobView(): SlackMessage {
  return message(
    paragraph(
      mrkdwn`🔍 *No such job* among yours and those of this channel. \`/docs-agent list\` shows them.`,
    ),
  );
}

export function noJobYetView(): SlackMessage {
  return message(
    paragraph(
      mrkdwn`🔍 *You have asked for no job yet.* \`/docs-agent explain the rate limits\` starts one.`,
    ),
  );
}

function links({ agentJob, channelId, threadTs }: Job, { workspaceUrl }: Reader): Part[] {
  const thread = threadLink(workspaceUrl, channelId, threadTs);
  const beside = thread === null ? [] : [openThreadButton(thread)];
  if (!agentJob?.prLink) return beside.length === 0 ? [] : [buttons(...beside)];
  const isShort = (httpUrl(agentJob.prLink) ?? '').length <= SPOKEN_PULL_REQUEST_MAX;
  return pullRequest(agentJob.prLink, { style: 'primary', isSpoken: isShort, beside });
}

/** What Slack refused may have been told where it is not seen any more. */
function again(job: Job, { userId }: Reader): Part[] {
  const { stage, requesterId } = job;
  if (stage.kind !== 'unopened' || requesterId !== userId || isBetweenPeople(stage.reason, job)) return [];
  return [tryAgainButton(job)];
}

function history(job: Job): Mrkdwn[] {
  const where = channelMention(job.channelId);
  return [
    mrkdwn`Asked by ${userMention(job.requesterId)} in ${where} ${moment(job.requestedAtMs)}`,
    ...(job.checkedAtMs === null ? [] : [mrkdwn`last checked ${timeOfDay(job.checkedAtMs)}`]),
  ];
}

function agentJobId({ agentJob }: Job): string[] {
  return agentJob === null ? [] : [`Agent job ${oneLine(agentJob.id, ID_MAX)}`];
}

function turnParts(turns: readonly Turn[], reader: Reader): Part[] {
  const firstShown = Math.max(turns.length - TURNS_MAX, 0);
  const parts = turns
    .slice(firstShown)
    .flatMap((turn, index) => turnPart(turn, firstShown + index + 1, reader));
  if (firstShown === 0) return parts;
  const earlier = firstShown === 1 ? '1 earlier turn' : `${firstShown} earlier turns`;
  return [smallPrint(mrkdwn`${earlier} before these`), ...parts];
}

function turnPart(
  { kind, text, startedAtMs, isAccepted, outcomes }: Turn,
  number: number,
  reader: Reader,
): Part[] {
  const fate = isAccepted ? [] : [mrkdwn`may not have arrived`];
  const head = smallPrint(
    mrkdwn`*Turn ${number}* ${moment(startedAtMs)}`,
    ...fate,
    ...outcomes.map(outcomeFact),
  );
  return kind === 'prompt' ? [head] : [head, smallQuotation(quotedPrompt(text, reader.names, TEXT_MAX))];
}

function outcomeFact({ kind, atMs }: Outcome): Mrkdwn {
  const at = timeOfDay(atMs);
  return kind === 'pull_request' ? mrkdwn`🎉 *Pull request* ${at}` : mrkdwn`${line(signs[kind])} ${at}`;
}

function unsentParts(unsent: readonly FollowUp[], reader: Reader): Part[] {
  if (unsent.length === 0) return [];
  const more = unsent.length - UNSENT_MAX;
  return [
    ...unsent
      .slice(0, UNSENT_MAX)
      .map(({ text, state }) =>
        smallQuotation(`${unsentSigns[state]} ${quotedPrompt(text, reader.names, TEXT_MAX)}`),
      ),
    ...(more > 0 ? [smallPrint(mrkdwn`${followUps(more)} more not sent`)] : []),
  ];
}

const unsentSigns: Readonly<Record<FollowUp['state'], string>> = {
  waiting: '👀 Waits:',
  sending: '👀 Is being sent:',
  sent: '✅ Sent:',
  not_sent: '⚠️ Not sent:',
  unknown: '❓ May have arrived:',
  withdrawn: 'Withdrawn:',
  aside: '💬 Aside:',
  muted: '🔇 Muted:',
  kept_out: 'Kept out:',
};

/** A trouble that is not the state itself: it holds up follow-ups. */
function troubleParts({ stage, trouble }: Job): Part[] {
  const isHeadline = stage.kind === 'opening' || stage.kind === 'creating' || trouble?.source === 'check';
  return trouble === null || isHeadline ? [] : [smallPrint(troubleLine(trouble.kind, trouble.retryAtMs))];
}

function shortId({ id }: Job): string {
  return oneLine(id, ID_MAX).slice(0, SHORT_ID_LENGTH);
}
