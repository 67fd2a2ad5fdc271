import type { Announcement } from '../../../jobs/announcement.ts';
import type { Job } from '../../../jobs/job.ts';
import type { OfferDeed, OfferOutcome } from '../../../jobs/offer.ts';
import { messageOfJob } from '../list.ts';
import { message, type SlackMessage, say, smallPrint, withoutAccessory } from '../parts/message.ts';
import { type Mrkdwn, mrkdwn, ownLink } from '../parts/mrkdwn.ts';
import type { Sites } from '../parts/pull-request.ts';
import { stateLine } from '../parts/state.ts';
import type { Names } from '../parts/untrusted.ts';
import { nameIn } from '../parts/words.ts';
import { askedBy, askingView, isAsking } from './actions.ts';
import { announcementView } from './announcement.ts';
import { draftBlocks } from './draft.ts';
import { withPullRequest } from './turn-ended.ts';

/** The answer to an offer; null: nothing to say. */
export const outcomes: Readonly<
  Record<OfferDeed, (name: string, outcome: Omit<OfferOutcome, 'deed'>) => Mrkdwn | null>
> = {
  started_again: (name) => mrkdwn`${name} started it again`,
  sent_again: (name, { count = 1 }) => mrkdwn`${name} sent ${count === 1 ? 'it' : 'them'} again`,
  edited: (name) => mrkdwn`${name} edited the request and started it`,
  found: (name) => mrkdwn`${name} found it; I'm watching that job now`,
  watched_elsewhere: (_name, { other }) => {
    const number = other === undefined ? '' : `#${other.number}`;
    const thread = other?.threadUrl ? ownLink(other.threadUrl, 'its thread') : mrkdwn`its thread`;
    return mrkdwn`That's ${number}, watched in ${thread}. Closed here.`;
  },
  kept_watching: (name) => mrkdwn`${name} chose to keep watching`,
  stopped_watching: (name) => mrkdwn`${name} stopped watching; the agent may still be working`,
  wants_reminder: (name) => mrkdwn`${name} wants to be reminded again`,
  wants_no_reminder: (name) => mrkdwn`${name} turned off reminders`,
  started: (name) => mrkdwn`🚀 Started by ${name}`,
  dismissed: (name) => mrkdwn`Dismissed by ${name}`,
  withdrawn: (name) => mrkdwn`Withdrawn by ${name}`,
  expired: () => mrkdwn`Expired after 7 days`,
  confirmed: () => mrkdwn`The agent confirmed it after all`,
  continued: () => mrkdwn`A reply continued it`,
  moot: () => null,
};

function outcomeWords(outcome: OfferOutcome, names: Names): Mrkdwn | null {
  return outcomes[outcome.deed](nameIn(names, outcome.by, 'Somebody'), outcome);
}

/**
 * A thread's message in the current state: who decided what replaces the buttons of its offer; links stay.
 * @param outcome of its offer; null: it is still open, or there was none
 */
export function postedView(
  announcement: Announcement,
  job: Job,
  outcome: OfferOutcome | null,
  names: Names,
  sites?: Sites,
): SlackMessage {
  if (outcome === null) return announcementView(announcement, job, names, undefined, sites);
  const words = outcomeWords(outcome, names);
  const { blocks } = withoutOffer(announcement, job, names, sites);
  return messageOfJob(job, names, message(blocks, words !== null && smallPrint(words)));
}

function withoutOffer(announcement: Announcement, job: Job, names: Names, sites?: Sites): SlackMessage {
  if (announcement.kind === 'draft') return message(draftBlocks(job, names));
  if (isAsking(announcement)) {
    const decided = askingView(askedBy(announcement, job, sites), false);
    return announcement.kind === 'failed' ? withPullRequest(decided, announcement, job, sites) : decided;
  }
  // News with a warning: its offer stands beside the warning. *Reply to the agent* stays.
  const news = announcementView(announcement, job, names, undefined, sites);
  return { ...news, blocks: news.blocks.map(withoutAccessory) };
}

/**
 * For a person who pressed a button that no longer has an effect.
 * @param outcome of the decision; null: unknown
 */
export function tooLateView(
  job: Job,
  outcome: OfferOutcome | null,
  names: Names,
  sites?: Sites,
): SlackMessage {
  // That it did not start matters more than who decided to start it.
  const isDecided = outcome !== null && job.stage.kind !== 'card_failed';
  const words = isDecided ? outcomeWords(outcome, names) : null;
  return say`Already done: ${words ?? stateLine(job, sites)}.`;
}

export const jobForgottenView = say`Already done: this job is no longer stored. Start a new one with \`/docs-agent\`.`;

/** For a press or form that reached a program which does not know the job, while another may. */
export const jobAtAnotherView = say`⚠️ *That didn't arrive.* Two programs share this Slack app, and this reached the one that doesn't know the job. Try again, and tell an administrator.`;

export const notYourFormView = say`This form was made for somebody else or for another channel. Press the button in the thread again.`;

export const agentSilentView = say`I can't reach the agent right now, so I couldn't check this id. Please try again in a minute.`;
