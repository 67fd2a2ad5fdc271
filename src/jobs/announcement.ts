import type { Job, TroubleKind, TurnReplies } from './job.ts';
import type { OfferSubject } from './offer.ts';
import type { SnippetProblem, Unsent } from './requests/attachments.ts';

/** What a job says in its thread, as a message of its own. Rendered by `slack/views`. */
export type Announcement =
  /** Offers *Start*, *Edit and start* and *Dismiss*. `threadTs`: null: at the top level of the channel. */
  | {
      readonly kind: 'draft';
      readonly number: number;
      readonly threadTs: string | null;
      /** The only people who could start it then; empty: everybody who may use the program. */
      readonly approvers: readonly string[];
    }
  /** The first sign that the agent works. */
  | { readonly kind: 'started' }
  /** The agent works again on an ended job, and no reply explains it. */
  | { readonly kind: 'continued' }
  | TurnEnded
  /** Offers *Start again* and *Edit and start*. `inARow`: turns failed in a row; absent: one. */
  | ({ readonly kind: 'failed'; readonly inARow?: number } & WithPullRequest)
  | ({ readonly kind: 'archived' } & WithPullRequest)
  | { readonly kind: 'vanished' }
  /** The API never knew the job to watch. */
  | { readonly kind: 'no_such_job' }
  /** Too many changes to report: checks pause for this long. */
  | { readonly kind: 'keeps_changing'; readonly pauseMs: number }
  /** A pull request without an end of its turn: after it, or instead. */
  | {
      readonly kind: 'pull_request';
      readonly url: string;
      readonly changed: boolean;
      /** Untrusted. */
      readonly branch: string | null;
      /** As in `TurnReplies`. */
      readonly authors: readonly string[];
    }
  | {
      readonly kind: 'trouble';
      readonly trouble: TroubleKind;
      readonly retryAtMs: number;
      /** The agent's description. Untrusted. */
      readonly words?: string;
    }
  | { readonly kind: 'recovered' }
  /** The API refused the prompt with these words (untrusted, perhaps empty); offers *Edit and start*. */
  | { readonly kind: 'create_rejected'; readonly message: string }
  /** Offers *Start again*, *I found the job…* and *Dismiss*. */
  | { readonly kind: 'create_unknown'; readonly callId: string }
  /** The API refused replies; offers *Send again*, or *Start again* if it does not know the job. */
  | {
      readonly kind: 'message_rejected';
      readonly callId: string;
      readonly count: number;
      readonly authorIds: readonly string[];
      /** Why; empty: unknown. Untrusted unless this program refused them. */
      readonly message: string;
      /** Absent: the API, or unknown. */
      readonly refusedBy?: 'program';
      /** What it offers: `edit_and_start` if the request was refused, so that there is no job to send to. */
      readonly action: 'send_again' | 'start_again' | 'edit_and_start';
    }
  /** Offers *Send again*. */
  | {
      readonly kind: 'message_unknown';
      readonly callId: string;
      readonly count: number;
      readonly authorIds: readonly string[];
    }
  /** Its recipe was due again while the job was open. */
  | { readonly kind: 'recipe_skipped'; readonly recipe: string }
  /** Replies were missed while the program was away, and are follow-ups now. */
  | { readonly kind: 'caught_up'; readonly count: number }
  /** The agent has worked for long; offers *Keep watching* and *Stop watching*. */
  | {
      readonly kind: 'long_running';
      readonly question: number;
      readonly sinceMs: number;
      /** How long the turn had lasted. */
      readonly lastedMs: number;
    }
  | { readonly kind: 'follow_up'; readonly userId: string; readonly text: string }
  /** Attached to a message, but the agent API cannot take it. */
  | { readonly kind: 'files_not_sent'; readonly files: readonly Unsent[] }
  | {
      readonly kind: 'snippets_not_sent';
      readonly snippets: readonly { readonly name: string; readonly problem: SnippetProblem }[];
    }
  | { readonly kind: 'muted' | 'unmuted'; readonly userId: string }
  /** Its code host says so. `by`: a name at the host; absent: unknown. Untrusted. */
  | { readonly kind: 'pull_request_over'; readonly state: 'merged' | 'closed'; readonly by?: string }
  /**
   * The pull request is still open; offers *Remind me again* and *No more reminders*. `afterMs`: how long
   * nothing has happened to it; absent: somebody asked for this reminder.
   */
  | {
      readonly kind: 'reminder';
      readonly reminderId: string;
      readonly url: string;
      readonly afterMs?: number;
      /** When another one follows if somebody asks for it. */
      readonly againMs: number;
    }
  | { readonly kind: 'notice_failed'; readonly channelId: string; readonly reason: string };

/** A pull request that came with it and is new. */
interface WithPullRequest {
  /** Untrusted; absent: none. */
  readonly prLink?: string;
  /** Absent: it is the first. */
  readonly isAnother?: true;
  /** As in `TurnReplies`; absent: nobody. */
  readonly authors?: readonly string[];
}

/** The agent ended a turn, neither failed nor stopped. One message tells all of it. */
export interface TurnEnded {
  readonly kind: 'turn_ended';
  /** The pull request, and whether the thread knows it; null: none. Untrusted. */
  readonly link: { readonly url: string; readonly is: 'first' | 'same' | 'another' } | null;
  /** Untrusted. */
  readonly branch: string | null;
  /** Null: its start or end is unknown. */
  readonly lastedMs: number | null;
  readonly replies: TurnReplies;
  /** Replies of unknown fate, or not sent, at that time; offers *Send again*. Null: none. */
  readonly undelivered: TurnReplies | null;
}

/** How a start ended, in the order of a report. */
export const ends = ['pull_request', 'done', 'failed', 'refused', 'gone', 'archived'] as const;

export type End = (typeof ends)[number];

/** `open`: more is to happen. `unclear`: nobody knows whether the agent has it. */
export type Fate = End | 'open' | 'unclear';

type Kind = Announcement['kind'];
type Of<K extends Kind> = Extract<Announcement, { kind: K }>;
type Asker = Pick<Job, 'creates' | 'watchedAgentJobId'>;

/** What an announcement means to the rest of the program; its words are in `slack/views/thread`. */
interface Meaning<A> {
  /** The decision that it asks for; null: none. */
  readonly offer?: (announcement: A, job: Asker) => OfferSubject | null;
  /** The link that it brings as news, and describes; null: none. Untrusted. */
  readonly link?: (announcement: A) => string | null;
  /** How it ends a turn, in *Details*. */
  readonly outcome?: 'finished' | 'failed' | 'archived' | 'vanished';
  /** What it says of a start, in reports. */
  readonly fate?: (announcement: A) => Exclude<Fate, 'open'>;
  /** Nobody reads it elsewhere if the thread may not show it. */
  readonly isOfThread?: true;
}

const startAgain = (_: unknown, { creates, watchedAgentJobId }: Asker): OfferSubject | null =>
  watchedAgentJobId === null ? { kind: 'start', creates } : null;
const linkOf = ({ prLink = null }: { readonly prLink?: string | null }) => prLink;

/** One row for each announcement that is more than words. */
const MEANINGS: { readonly [K in Kind]?: Meaning<Of<K>> } = {
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

/** The row of an announcement, which fits its kind. */
export function meaningOf(announcement: Announcement): Meaning<Announcement> {
  return (MEANINGS[announcement.kind] ?? {}) as Meaning<Announcement>;
}

export function offerOf(announcement: Announcement, job: Asker): OfferSubject | null {
  return meaningOf(announcement).offer?.(announcement, job) ?? null;
}

export function announcedLink(announcement: Announcement): string | null {
  return meaningOf(announcement).link?.(announcement) ?? null;
}
