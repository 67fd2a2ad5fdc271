import type { KnownBlock } from '@slack/types';
import type { Queue } from '../../../jobs/follow-ups/follow-up-queue.ts';
import type { Job } from '../../../jobs/job.ts';
import type { CodeHostSite } from '../../../jobs/pull-requests/link.ts';
import { messageOfJob } from '../list.ts';
import { buttons } from '../parts/buttons.ts';
import {
  buttonRow,
  heading,
  message,
  paragraph,
  type SlackMessage,
  smallQuotation,
  targetButton,
  untrustedParagraph,
} from '../parts/message.ts';
import { type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';
import { pullRequest } from '../parts/pull-request.ts';
import { foot, stateLine, warnings } from '../parts/state.ts';
import { oneLine, titledPrompt } from '../parts/untrusted.ts';
import { askerOf } from '../parts/words.ts';
import { cardActions } from './actions.ts';

const FACT_MAX = 100;

/** What a card shows besides its job. */
export interface CardFacts {
  /** Replies without an outcome. */
  readonly queue: Queue;
  /** Slack ids to names, for the requester, the person who dismissed it, and mentions in the prompt. */
  readonly names: ReadonlyMap<string, string>;
  /** For short names of pull requests. Default: the public sites. */
  readonly sites?: readonly CodeHostSite[];
}

/** The root of a job's thread: the request, its state, and what can be done. */
export function cardView(job: Job, { queue, names, sites }: CardFacts): SlackMessage {
  const { title, rest } = titledPrompt(job.prompt, names);
  const warning = warningOf(job, queue);
  const state = stateLine(job, sites, names);
  const view = message(
    heading(title),
    ...(rest === null ? [] : [untrustedParagraph(rest)]),
    paragraph(warning === null ? state : mrkdwn`${state}\n${warning}`),
    ...row(job, queue),
    footLine(job, names),
  );
  return messageOfJob(job, names, view);
}

/** The most pressing fact about the replies. */
function warningOf({ trouble, muted }: Job, { waiting, untilMs, undecided }: Queue): Mrkdwn | null {
  if (undecided !== null) return warnings.undelivered(undecided.count);
  if (waiting > 0) {
    const isForAdmin = trouble?.source === 'send' && trouble.kind === 'needs_admin';
    return isForAdmin ? warnings.waitingForAdmin(waiting) : warnings.waiting(waiting, untilMs);
  }
  return muted ? warnings.muted : null;
}

/** The pull request, the main action, and the menu. */
function row(job: Job, queue: Queue): KnownBlock[] {
  const beside = [...cardActions(job, queue), targetButton(buttons.details, { jobId: job.id })];
  // While a later turn runs, the API hides the previous one's link.
  const isAtWork = job.stage.kind === 'working';
  const prLink = job.agentJob?.prLink ?? (isAtWork ? job.announcedPrLink : null);
  return prLink ? pullRequest(prLink, { style: 'primary', beside }) : [buttonRow(...beside)];
}

function footLine(job: Job, names: ReadonlyMap<string, string>): KnownBlock {
  const { number, agentJob, context, snippets, inlined } = job;
  const asker = askerOf(job, names);
  const project = oneLine(job.projectName, FACT_MAX);
  const repository = agentJob?.repository;
  return smallQuotation(
    ...(number > 0 ? [foot.number(number)] : []),
    ...(asker === null ? [] : [foot.askedBy(oneLine(asker, FACT_MAX))]),
    repository ? foot.place(project, oneLine(repository, FACT_MAX)) : project,
    ...(context === '' ? [] : [foot.thread]),
    ...(snippets.length > 0 || inlined !== '' ? [foot.snippets] : []),
  );
}
