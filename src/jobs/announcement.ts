import type { Job, TroubleKind, TurnReplies } from './job.ts';
import type { OfferSubject } from './offer.ts';
import type { UnreadSnippet, Unsent } from './requests/attachments.ts';

/** What a job says in its thread, as a message of its own. Rendered by `slack/views`. */
interface Announcements {
  /** Offers *Start*, *Edit and start* and *Dismiss*. `threadTs`: null: at the top level of the channel. */
  draft: {
    number: number;
    threadTs: string | null;
    /** The only people who could start it then; empty: everybody who may use the program. */
    approvers: readonly string[];
  };
  /** The first sign that the agent works. */
  started: object;
  /** The agent works again on an ended job, and no reply explains it. */
  continued: object;
  /** The agent ended a turn, neither failed nor stopped. One message tells all of it. */
  turn_ended: {
    /** The pull request, and whether the thread knows it; null: none. Untrusted. */
    link: { readonly url: string; readonly is: 'first' | 'same' | 'another' } | null;
    /** Untrusted. */
    branch: string | null;
    /** Null: its start or end is unknown. */
    lastedMs: number | null;
    replies: TurnReplies;
    /** Replies of unknown fate, or not sent, at that time; offers *Send again*. Null: none. */
    undelivered: TurnReplies | null;
  };
  /** Offers *Start again* and *Edit and start*. `inARow`: turns failed in a row; absent: one. */
  failed: WithPullRequest & { inARow?: number };
  archived: WithPullRequest;
  vanished: object;
  /** The API never knew the job to watch. */
  no_such_job: object;
  /** Too many changes to report: checks pause for this long. */
  keeps_changing: { pauseMs: number };
  /** A pull request without an end of its turn: after it, or instead. */
  pull_request: {
    url: string;
    changed: boolean;
    /** Untrusted. */
    branch: string | null;
    /** As in `TurnReplies`. */
    authors: readonly string[];
  };
  /** `words`: the agent's description. Untrusted. */
  trouble: { trouble: TroubleKind; retryAtMs: number; words?: string };
  recovered: object;
  /** The API refused the prompt with these words (untrusted, perhaps empty); offers *Edit and start*. */
  create_rejected: { message: string };
  /** Offers *Start again*, *I found the job…* and *Dismiss*. */
  create_unknown: { callId: string };
  /** The API refused replies; offers *Send again*, or *Start again* if it does not know the job. */
  message_rejected: {
    callId: string;
    count: number;
    authorIds: readonly string[];
    /** Why; empty: unknown. Untrusted unless this program refused them. */
    message: string;
    /** Absent: the API, or unknown. */
    refusedBy?: 'program';
    /** What it offers: `edit_and_start` if the request was refused, so that there is no job to send to. */
    action: 'send_again' | 'start_again' | 'edit_and_start';
  };
  /** Offers *Send again*. */
  message_unknown: { callId: string; count: number; authorIds: readonly string[] };
  /** Its recipe was due again while the job was open. */
  recipe_skipped: { recipe: string };
  /** Replies were missed while the program was away, and are follow-ups now. */
  caught_up: { count: number };
  /** The agent has worked for long; offers *Keep watching* and *Stop watching*. `lastedMs`: the turn. */
  long_running: { question: number; sinceMs: number; lastedMs: number };
  follow_up: { userId: string; text: string };
  /** Attached to a message, but the agent API cannot take it. */
  files_not_sent: { files: readonly Unsent[] };
  snippets_not_sent: { snippets: readonly UnreadSnippet[] };
  muted: { userId: string };
  unmuted: { userId: string };
  /** Its code host says so. `by`: a name at the host; absent: unknown. Untrusted. */
  pull_request_over: { state: 'merged' | 'closed'; by?: string };
  /**
   * The pull request is still open; offers *Remind me again* and *No more reminders*. `afterMs`: how long
   * nothing has happened to it; absent: somebody asked for this reminder. `againMs`: when another one follows
   * if somebody asks for it.
   */
  reminder: { reminderId: string; url: string; afterMs?: number; againMs: number };
  notice_failed: { channelId: string; reason: string };
}

type Kind = keyof Announcements;

export type AnnouncementOf<K extends Kind> = { [One in K]: Readonly<{ kind: One } & Announcements[One]> }[K];

export type Announcement = AnnouncementOf<Kind>;

export type TurnEnded = AnnouncementOf<'turn_ended'>;

/** A pull request that came with it and is new. */
type WithPullRequest = Readonly<{
  /** Untrusted; absent: none. */
  prLink?: string;
  /** Absent: it is the first. */
  isAnother?: true;
  /** As in `TurnReplies`; absent: nobody. */
  authors?: readonly string[];
}>;

/** How a start ended, in the order of a report. */
export const ends = ['pull_request', 'done', 'failed', 'refused', 'gone', 'archived'] as const;

export type End = (typeof ends)[number];

/** `open`: more is to happen. `unclear`: nobody knows whether the agent has it. */
export type Fate = End | 'open' | 'unclear';

type Asker = Pick<Job, 'creates' | 'watchedAgentJobId'>;

/** What an announcement means to the rest of the program; its words are in `slack/views/thread`. */
type Meaning<A> = Readonly<{
  /** The decision that it asks for; null: none. */
  offer?: (announcement: A, job: Asker) => OfferSubject | null;
  /** The link that it brings as news, and describes; null: none. Untrusted. */
  link?: (announcement: A) => string | null;
  /** How it ends a turn, in *Details*. */
  outcome?: 'finished' | 'failed' | 'archived' | 'vanished';
  /** What it says of a start, in reports. */
  fate?: (announcement: A) => Exclude<Fate, 'open'>;
  /** Nobody reads it elsewhere if the thread may not show it. */
  isOfThread?: true;
}>;

const startAgain = (_: unknown, { creates, watchedAgentJobId }: Asker): OfferSubject | null =>
  watchedAgentJobId === null ? { kind: 'start', creates } : null;
const linkOf = ({ prLink = null }: { prLink?: string | null }) => prLink;

/** One row for each announcement that is more than words. */
const MEANINGS: { readonly [K in Kind]?: Meaning<AnnouncementOf<K>> } = {
  draft: { offer: ({ number }) => ({ kind: 'draft', number }), isOfThread: true },
  turn_ended: {
    offer: ({ undelivered }) => undelivered && { kind: 'send', callId: null, count: undelivered.count },
    link: ({ link }) => (link === null || link.is === 'same' ? null : link.url),
    outcome: 'finished',
    fate: ({ link }) => (link === null ? 'done' : 'pull_request'),
  },
  pull_request: { link: ({ url }) => url, fate: () => 'pull_request' },
  failed: { offer: startAgain, link: linkOf, outcome: 'failed', fate: () => 'failed' },
  archived: { link: linkOf, outcome: 'archived', fate: () => 'archived' },
  vanished: { offer: startAgain, outcome: 'vanished', fate: () => 'gone' },
  create_rejected: { offer: startAgain, fate: () => 'refused' },
  create_unknown: {
    offer: ({ callId }, { creates }) => ({ kind: 'start', creates, callId }),
    fate: () => 'unclear',
  },
  message_rejected: {
    offer: ({ action, callId, count }, { creates, watchedAgentJobId }) => {
      if (action === 'edit_and_start') return { kind: 'start', creates };
      const isStart = action === 'start_again' && watchedAgentJobId === null;
      return isStart ? { kind: 'start', creates, callId } : { kind: 'send', callId, count };
    },
  },
  message_unknown: { offer: ({ callId, count }) => ({ kind: 'send', callId, count }) },
  long_running: { offer: ({ question }) => ({ kind: 'watch', question }) },
  follow_up: { isOfThread: true },
  reminder: { offer: ({ reminderId, url }) => ({ kind: 'reminder', reminderId, url }) },
};

export function meaningOf(announcement: Announcement): Meaning<Announcement> {
  return (MEANINGS[announcement.kind] ?? {}) as Meaning<Announcement>;
}

export function offerOf(announcement: Announcement, job: Asker): OfferSubject | null {
  return meaningOf(announcement).offer?.(announcement, job) ?? null;
}

export function announcedLink(announcement: Announcement): string | null {
  return meaningOf(announcement).link?.(announcement) ?? null;
}
