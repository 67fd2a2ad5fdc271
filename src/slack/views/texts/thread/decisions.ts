import type { OfferDeed, WatchedElsewhere } from '../../../../jobs/offer.ts';
import type { Confirmation } from '../../parts/buttons.ts';
import { type Mrkdwn, mrkdwn, ownLink } from '../../parts/mrkdwn.ts';
import { replies } from '../../parts/words.ts';

/** What the thread says where a person must decide: what happened, then what each button does. `who`: from `addressing`. */
export const decisions = {
  failed: {
    news: (who: Mrkdwn) => mrkdwn`❌ ${who}*Failed.* The agent gave no reason.`,
    repeated: (times: number) =>
      mrkdwn`${times === 2 ? 'Twice' : `${times} times`} in a row. A shorter request that names the page often helps.`,
    adviceWithoutButton: mrkdwn`A reply may still reopen it.`,
  },
  gone: { news: (who: Mrkdwn) => mrkdwn`❌ ${who}*The agent no longer knows this job.*` },
  notAccepted: {
    news: (who: Mrkdwn, hasWords: boolean) =>
      mrkdwn`❌ ${who}*Not accepted.* ${hasWords ? 'The agent says:' : 'The agent gave no reason.'}`,
  },
  startUnclear: {
    news: (who: Mrkdwn) =>
      mrkdwn`❓ ${who}*Couldn't confirm the start.* The connection broke off in the middle, so the agent may already be working on it.`,
    advice: mrkdwn`Check for a pull request before you start again.`,
  },
  sendUnclear: {
    news: (who: Mrkdwn, count: number) =>
      mrkdwn`❓ ${who}*Couldn't confirm that ${replies(count)} ${count === 1 ? 'was' : 'were'} delivered.*`,
    advice: mrkdwn`*Send again* may give the agent the same text twice.`,
  },
  notSent: {
    byAgent: (who: Mrkdwn, count: number, hasWords: boolean) =>
      mrkdwn`⚠️ ${who}*Not sent:* the agent didn't accept ${replies(count)}. It ${hasWords ? 'says:' : 'gave no reason.'}`,
    byProgram: (who: Mrkdwn, count: number, reason: string) =>
      mrkdwn`⚠️ ${who}*Not sent:* ${replies(count)}. ${reason}`,
    jobGone: (who: Mrkdwn, count: number) =>
      mrkdwn`⚠️ ${who}*Not sent:* ${replies(count)}. The agent no longer knows this job.`,
    adviceIfNotAccepted: mrkdwn`*Edit and start* sends the new request, then the replies that weren't sent.`,
    adviceIfJobGone: mrkdwn`*Start again* sends the same request as a new job, then the replies that weren't sent.`,
  },
  stillOpen: {
    /** `lasted`: null: it was asked for. `link`: null: it may not be a link. `why`: null: unknown. */
    news: (who: Mrkdwn, lasted: string | null, link: Mrkdwn | null, why: string | null) => {
      const words = lasted === null ? 'Still open' : `Open for ${lasted}`;
      if (link === null) return mrkdwn`👋 ${who}*${words}.*`;
      return mrkdwn`👋 ${who}*${words}:* ${link}${why === null ? '' : `, ${why}`}`;
    },
    remindIn: (lasted: string) => `Remind me in ${lasted}`,
  },
  longRunning: {
    news: (who: Mrkdwn, lasted: string | null) =>
      mrkdwn`⏳ ${who}*Still working${lasted === null ? '' : ` after ${lasted}`}.*`,
    advice: mrkdwn`Keep watching? The agent continues either way.`,
  },
} as const;

/** Asked before what may be under way is repeated. */
export const confirmations = {
  startAgain: {
    title: 'Start it a second time?',
    text: 'The agent may already be working on this. Look for a pull request first.',
    confirm: 'Start anyway',
    deny: 'Cancel',
  },
  sendAgain: {
    title: 'Send it a second time?',
    text: 'The agent may already have this. It would get the same text twice.',
    confirm: 'Send anyway',
    deny: 'Cancel',
  },
} as const satisfies Readonly<Record<string, Confirmation>>;

/** What became of an offer; null: nothing that needs saying. `count`: of the replies that it was about. */
export const outcomes: Readonly<
  Record<OfferDeed, (name: string, count: number, other?: WatchedElsewhere) => Mrkdwn | null>
> = {
  started_again: (name) => mrkdwn`${name} started it again`,
  sent_again: (name, count) => mrkdwn`${name} sent ${count === 1 ? 'it' : 'them'} again`,
  edited: (name) => mrkdwn`${name} edited the request and started it`,
  found: (name) => mrkdwn`${name} found it; I'm watching that job now`,
  watched_elsewhere: (_name, _count, other) => {
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

/** For whoever presses a button too late. */
export const settled = {
  as: (what: Mrkdwn) => mrkdwn`Already done: ${what}.`,
  atAnother: mrkdwn`⚠️ *That didn't arrive.* Two programs share this Slack app, and this reached the one that doesn't know the job. Try again, and tell an administrator.`,
  forgotten: mrkdwn`Already done: this job is no longer stored. Start a new one with \`/docs-agent\`.`,
  formOfOthers: mrkdwn`This form was made for somebody else or for another channel. Press the button in the thread again.`,
};

export const decisionForms = {
  edit: {
    title: 'Edit and start',
    cutOff: mrkdwn`✂️ The request is too long for this field, so the end is cut off here. To send all of it, mention me in a new message instead.`,
  },
  resolve: { title: 'Resolve the start' },
  watch: {
    title: 'Watch the job',
    submit: 'Watch',
    label: "The agent's job id",
    hint: 'As the agent shows it, for example job_123.',
    silent: mrkdwn`I can't reach the agent right now, so I couldn't check this id. Please try again in a minute.`,
  },
};
