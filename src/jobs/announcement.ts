import type { TroubleKind } from './agent-job.ts';
import type { Job, OfferSubject, TurnReplies } from './job.ts';
import type { PullRequestNews } from './pull-requests/pull-request.ts';
import type { UnreadSnippet, UnsentFile } from './requests/attachments.ts';

/** Agents' and code hosts' texts and links are untrusted. */
interface Announcements {
  draft: {
    number: number;
    threadTs: string | null;
    /** Empty: everybody with access. */
    approvers: readonly string[];
  };
  started: object;
  continued: object;
  turn_ended: {
    link: NewLink | { readonly url: string; readonly is: 'same' } | null;
    branch: string | null;
    lastedMs: number | null;
    replies: TurnReplies;
    words?: string | undefined;
    undelivered: TurnReplies | null;
  };
  stopped: { userId: string | null; link: string | null; undelivered: TurnReplies | null };
  not_stopped: { words?: string | undefined };
  unwatched: { userId: string };
  failed: WithPullRequest & { inARow?: number; reason?: string | undefined };
  archived: WithPullRequest;
  vanished: object;
  keeps_changing: { pauseMs: number };
  pull_request: { link: NewLink; branch: string | null; authors: readonly string[] };
  trouble: { trouble: TroubleKind; retryAtMs: number; words?: string | undefined };
  recovered: object;
  create_rejected: { message: string };
  create_unknown: { callId: string };
  message_rejected: {
    callId: string;
    count: number;
    authorIds: readonly string[];
    message: string;
    refusedBy?: 'program';
    action: 'send_again' | 'start_again' | 'edit_and_start';
  };
  message_unknown: { callId: string; count: number; authorIds: readonly string[] };
  recipe_skipped: { recipe: string };
  caught_up: { count: number };
  long_running: { question: number; lastedMs: number };
  follow_up: { userId: string; text: string };
  files_not_sent: { files: readonly UnsentFile[]; takesPictures?: true };
  snippets_not_sent: { snippets: readonly UnreadSnippet[] };
  muted: { userId: string };
  unmuted: { userId: string };
  pull_request_over: { state: 'merged' | 'closed'; by?: string };
  /** `afterMs`: time without activity; absent: on request. */
  reminder: { reminderId: string; url: string; afterMs?: number; againMs: number };
  /** Reviewers stand alone. */
  review_news: { url: string; news: readonly PullRequestNews[] };
  notice_failed: { channelId: string; reason: string };
}

type Kind = keyof Announcements;

export type AnnouncementOf<K extends Kind> = { [One in K]: Readonly<{ kind: One } & Announcements[One]> }[K];

export type Announcement = AnnouncementOf<Kind>;

export type TurnEnded = AnnouncementOf<'turn_ended'>;

export type NewLink = Readonly<{ url: string; is: 'first' | 'another' }>;

type WithPullRequest = Readonly<{ link?: NewLink; authors?: readonly string[] }>;

export const ends = ['pull_request', 'done', 'failed', 'refused', 'gone', 'archived'] as const;

export type End = (typeof ends)[number];

/** `unclear`: the agent may have it. */
export type Fate = End | 'open' | 'unclear';

type Asker = Pick<Job, 'creates' | 'watchedAgentJobId'>;

type Meaning<A> = Readonly<{
  offer?: (announcement: A, job: Asker) => OfferSubject | null;
  link?: (announcement: A) => string | null;
  outcome?: 'finished' | 'stopped' | 'failed' | 'archived' | 'vanished';
  fate?: (announcement: A) => Exclude<Fate, 'open'>;
  /** Not sent privately if the thread refuses it. */
  isOfThread?: true;
}>;

const startAgain = (_: unknown, { creates, watchedAgentJobId }: Asker): OfferSubject | null =>
  watchedAgentJobId === null ? { kind: 'start', creates } : null;
const endOfTurn: Meaning<{ undelivered: TurnReplies | null; link: unknown }> = {
  offer: ({ undelivered }) => undelivered && { kind: 'send', callId: null, count: undelivered.count },
  fate: ({ link }) => (link === null ? 'done' : 'pull_request'),
};
const linkOf = ({ link }: { link?: TurnEnded['link'] }) => (link && link.is !== 'same' ? link.url : null);

const MEANINGS: { readonly [K in Kind]?: Meaning<AnnouncementOf<K>> } = {
  draft: { offer: ({ number }) => ({ kind: 'draft', number }), isOfThread: true },
  turn_ended: {
    ...endOfTurn,
    link: linkOf,
    outcome: 'finished',
  },
  stopped: { ...endOfTurn, outcome: 'stopped' },
  pull_request: { link: linkOf, fate: () => 'pull_request' },
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
  review_news: {
    offer: ({ news }) => {
      const keys = news.flatMap(({ kind, key }) => (kind === 'reviewers' ? [] : key));
      return keys.length === 0 ? null : { kind: 'review_news', keys };
    },
  },
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
