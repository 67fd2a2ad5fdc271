import type { KnownBlock } from '@slack/types';
import type { Announcement } from '../../../jobs/announcement.ts';
import type { Job } from '../../../jobs/job.ts';
import type { OfferOutcome } from '../../../jobs/offer.ts';
import { type CodeHostSite, PUBLIC_SITES } from '../../../jobs/pull-requests/link.ts';
import { messageOfJob } from '../parts/job-line.ts';
import { message, paragraph, type SlackMessage, smallPrint } from '../parts/message.ts';
import type { Mrkdwn } from '../parts/mrkdwn.ts';
import { stateLine } from '../parts/state.ts';
import { oneLine } from '../parts/untrusted.ts';
import { askedBy, decidedBlocks, decisionForms, isAsking, outcomes, settled } from './actions.ts';
import { announcementView } from './announcement.ts';
import { draftBlocks } from './draft.ts';
import { withPullRequest } from './turn-ended.ts';

const NAME_MAX = 100;

/**
 * A message of the thread as things are now.
 * @param outcome of what it offered; null: it offers that still, or offered nothing
 * @param names as for `settledView`
 */
export function postedView(
  announcement: Announcement,
  job: Job,
  outcome: OfferOutcome | null,
  names: ReadonlyMap<string, string>,
  sites: readonly CodeHostSite[] = PUBLIC_SITES,
): SlackMessage {
  return outcome === null
    ? announcementView(announcement, job, names, undefined, sites)
    : settledView(announcement, job, outcome, names, sites);
}

/**
 * A message that offered a decision, when there is nothing left to decide: who decided what takes the place of its
 * buttons, and links stay.
 * @param names Slack ids to names, for the mentions in the prompt and for who decided
 */
export function settledView(
  announcement: Announcement,
  job: Job,
  outcome: OfferOutcome,
  names: ReadonlyMap<string, string>,
  sites: readonly CodeHostSite[] = PUBLIC_SITES,
): SlackMessage {
  const words = outcomeWords(outcome, names);
  const [first, ...rest] = withoutOffer(announcement, job, names, sites).blocks;
  const end = words === null ? [] : [smallPrint(words)];
  return first === undefined
    ? { text: '', blocks: [] }
    : messageOfJob(job, names, message(first, ...rest, ...end));
}

function withoutOffer(
  announcement: Announcement,
  job: Job,
  names: ReadonlyMap<string, string>,
  sites: readonly CodeHostSite[],
): Pick<SlackMessage, 'blocks'> {
  if (announcement.kind === 'draft') return { blocks: draftBlocks(job, names) };
  if (isAsking(announcement)) {
    const decided = message(...decidedBlocks(askedBy(announcement, job, sites)));
    return announcement.kind === 'failed' ? withPullRequest(decided, announcement, job, sites) : decided;
  }
  // News that warns as well: its offer stands beside the warning. *Reply to the agent* is never used up.
  return {
    blocks: announcementView(announcement, job, names, undefined, sites).blocks.map(withoutAccessory),
  };
}

function withoutAccessory(block: KnownBlock): KnownBlock {
  if (block.type !== 'section') return block;
  const { accessory: _button, ...section } = block;
  return section;
}

function outcomeWords(
  { deed, by, count = 1, other }: OfferOutcome,
  names: ReadonlyMap<string, string>,
): Mrkdwn | null {
  return outcomes[deed](oneLine(names.get(by ?? '') ?? 'Somebody', NAME_MAX), count, other);
}

/**
 * For the person who pressed a button that does nothing any more.
 * @param outcome what was decided; null: that is not known
 */
export function tooLateView(
  job: Job,
  outcome: OfferOutcome | null,
  names: ReadonlyMap<string, string>,
  sites: readonly CodeHostSite[] = PUBLIC_SITES,
): SlackMessage {
  // Who decided to start it matters less than that it did not start.
  const isDecided = outcome !== null && job.stage.kind !== 'card_failed';
  const words = isDecided ? outcomeWords(outcome, names) : null;
  return message(paragraph(settled.as(words ?? stateLine(job, sites))));
}

/** For the person who pressed a button of a deleted job. */
export function jobForgottenView(): SlackMessage {
  return message(paragraph(settled.forgotten));
}

/** For the person whose press or form reached a program that does not know the job, while another one may. */
export function jobAtAnotherView(): SlackMessage {
  return message(paragraph(settled.atAnother));
}

/** For whoever sent a form that was made for somebody else, or for another channel. */
export function notYourFormView(): SlackMessage {
  return message(paragraph(settled.formOfOthers));
}

/** The agent did not say in time whether it has the job. */
export function agentSilentView(): SlackMessage {
  return message(paragraph(decisionForms.watch.silent));
}
