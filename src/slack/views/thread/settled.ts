import type { KnownBlock } from '@slack/types';
import type { Announcement } from '../../../jobs/announcement.ts';
import type { Job } from '../../../jobs/job.ts';
import type { OfferOutcome } from '../../../jobs/offer.ts';
import { type CodeHostSite, PUBLIC_SITES } from '../../../jobs/pull-requests/link.ts';
import { messageOfJob } from '../list.ts';
import { message, type SlackMessage, say, smallPrint } from '../parts/message.ts';
import type { Mrkdwn } from '../parts/mrkdwn.ts';
import { stateLine } from '../parts/state.ts';
import { oneLine } from '../parts/untrusted.ts';
import { askedBy, decidedBlocks, decisionForms, isAsking, outcomes, settled } from './actions.ts';
import { announcementView } from './announcement.ts';
import { draftBlocks } from './draft.ts';
import { withPullRequest } from './turn-ended.ts';

const NAME_MAX = 100;

/**
 * A thread's message in the current state.
 * @param outcome of its offer; null: it is still open, or there was none
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
 * A message whose offer is decided: who decided what replaces its buttons; links stay.
 * @param names Slack ids to names, for mentions in the prompt and for who decided
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
  // News with a warning: its offer stands beside the warning. *Reply to the agent* stays.
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
 * For a person who pressed a button that no longer has an effect.
 * @param outcome of the decision; null: unknown
 */
export function tooLateView(
  job: Job,
  outcome: OfferOutcome | null,
  names: ReadonlyMap<string, string>,
  sites: readonly CodeHostSite[] = PUBLIC_SITES,
): SlackMessage {
  // That it did not start matters more than who decided to start it.
  const isDecided = outcome !== null && job.stage.kind !== 'card_failed';
  const words = isDecided ? outcomeWords(outcome, names) : null;
  return say(settled.as(words ?? stateLine(job, sites)));
}

/** For a person who pressed a button of a deleted job. */
export const jobForgottenView = say(settled.forgotten);

/** For a press or form that reached a program which does not know the job, while another may. */
export const jobAtAnotherView = say(settled.atAnother);

/** For a form that was made for another person or channel. */
export const notYourFormView = say(settled.formOfOthers);

/** The agent did not say in time whether it has the job. */
export const agentSilentView = say(decisionForms.watch.silent);
