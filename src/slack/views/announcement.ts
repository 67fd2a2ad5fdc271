import type { Button } from '@slack/types';
import type { Announcement, AnnouncementOf } from '#jobs/announcement.ts';
import { type Job, type OfferAnswer, type OfferOutcome, responsibleFor } from '#jobs/job.ts';
import type { FollowUpMode } from '#jobs/policy.ts';
import type { FileKind, UnsentFile } from '#jobs/requests/attachments.ts';
import { unescaped } from '#jobs/requests/command.ts';
import { NOT_SEEN } from '../protocol/error-codes.ts';
import { type ButtonKind, buttons } from './buttons.ts';
import { askerOf, editAndStart, startAgain, startAgainOrEdit, stateLine, type ViewFacts } from './job.ts';
import {
  type Blocks,
  blocksOf,
  buttonRow,
  confirmations,
  message,
  messageOfJob,
  paragraph,
  pressButton,
  quotation,
  type SlackMessage,
  say,
  smallPrint,
  targetButton,
  withoutAccessory,
} from './message.ts';
import { type Refusal, refusalView, whyRefused } from './private-answers.ts';
import {
  addressing,
  asRead,
  asWritten,
  BUTTON_LABEL_MAX,
  channelMention,
  counted,
  cut,
  duration,
  enumerated,
  httpUrl,
  joined,
  labels,
  type Mrkdwn,
  moment,
  mrkdwn,
  type Names,
  NO_NAMES,
  nameIn,
  oneLine,
  ownLink,
  type Parts,
  replies,
  shown,
  shownPrompt,
  withNotes,
} from './text.ts';
import { pullRequestOfEnd, stoppedView, turnEndedView } from './turn-ended.ts';

const PROMPT_MAX = 2500;
const WORDS_MAX = 300;
const REFUSAL_MAX = 1000;
const ADDRESS_MAX = 500;
const NAMES_MAX = 10;

/** A post that asks for a decision. */
type OfferView = Readonly<{
  news: Mrkdwn;
  below?: Blocks;
  /** From the agent or a code host; untrusted. */
  words?: string;
  advice?: Mrkdwn | false;
  buttons?: Parts<Button>;
  whileOpen?: Blocks;
}>;

export type ThreadContext = ViewFacts &
  Readonly<{ mode?: FollowUpMode | undefined; features?: FeatureViews }>;

type ViewOf<One> = (
  announcement: One,
  job: Job,
  thread: ThreadContext,
) => Mrkdwn | readonly Blocks[] | OfferView;

type Views = { readonly [K in Announcement['kind']]: ViewOf<AnnouncementOf<K>> };

type OutcomeWords = (name: string, outcome: OfferOutcome) => Mrkdwn | string | null;

export type FeatureViews = Readonly<{
  announcements?: Partial<Views>;
  outcomes?: { readonly [D in OfferAnswer]?: OutcomeWords };
}>;

/** Features have the others. */
const views: Omit<Views, 'pull_request_over' | 'reminder' | 'review_news'> = {
  draft: draftView,
  started: (_, _job, { mode }) => {
    const steering = mode === 'mentions' ? 'Mention me' : 'Reply';
    return mrkdwn`⚙️ *On it.* ${steering} here to steer; I'll post the pull request in this thread.`;
  },
  continued: () => mrkdwn`⚙️ *Working again.* Somebody continued this job outside of Slack.`,
  turn_ended: turnEndedView,
  failed: (failed, job, { sites }) => {
    const { inARow = 1, reason } = failed;
    const times = inARow === 2 ? 'Twice' : `${inARow} times`;
    const offered = startAgainOrEdit(job);
    const why = reason === undefined ? 'The agent gave no reason.' : sentence(reason);
    const often = `${times} in a row. A shorter request that names the page often helps.`;
    return {
      news: joined([mrkdwn`❌ ${whoActs(job)}*Failed.*`, why, inARow >= 2 && often], ' '),
      below: pullRequestOfEnd(failed, job, sites),
      advice: offered === null && mrkdwn`A reply may still reopen it.`,
      buttons: offered,
    };
  },
  archived: (archived, job, { sites }) => [
    mrkdwn`⚪ *Archived.* A reply may still reopen it.`,
    pullRequestOfEnd(archived, job, sites),
  ],
  vanished: (_, job) => ({
    news: mrkdwn`❌ ${whoActs(job)}*The agent no longer knows this job.*`,
    buttons: startAgain(job),
  }),
  keeps_changing: ({ pauseMs }) =>
    mrkdwn`⚠️ *The agent keeps changing its answer;* I'll look again in ${duration(pauseMs)}.`,
  stopped: stoppedView,
  not_stopped: ({ words }) =>
    joined([mrkdwn`⚠️ *Couldn't stop the agent.*`, words !== undefined && sentence(words)], ' '),
  unwatched: ({ userId }, _, { names }) =>
    mrkdwn`⚪ *No longer watching:* ${nameIn(names, userId)} stopped it, but the agent can't be stopped and may still be working.`,
  // Found after its turn ended.
  pull_request: ({ link, branch, authors }, job, thread) => {
    const replies = { count: 0, authors };
    const ended = { link, branch, replies, lastedMs: null, undelivered: null };
    return turnEndedView({ kind: 'turn_ended', ...ended }, job, thread);
  },
  trouble: ({ trouble, retryAtMs, words }) => {
    switch (trouble) {
      case 'rate_limited':
        return mrkdwn`⏳ *The agent's hourly limit is used up.* Your requests and replies are saved and continue ${moment(retryAtMs)}.`;
      case 'unreachable':
        return mrkdwn`⏳ *Can't reach the agent.* Your requests and replies are saved and will continue automatically.`;
      case 'needs_admin': {
        const news = mrkdwn`⚠️ *An administrator needs to fix the connection to the agent.*`;
        const then = "Everything is saved and continues once it's fixed.";
        return joined([news, words !== undefined && sentence(words), then], ' ');
      }
    }
  },
  recovered: () => mrkdwn`✅ *Back online.* Continuing.`,
  create_rejected: ({ message: words }, job) => {
    const why = words === '' ? 'The agent gave no reason.' : 'The agent says:';
    return { news: mrkdwn`❌ ${whoActs(job)}*Not accepted.* ${why}`, words, buttons: editAndStart(job) };
  },
  create_unknown: ({ callId }, job) => unclearStart(job, callId, whoActs(job)),
  message_rejected: rejectedReplies,
  message_unknown: ({ callId, count, authorIds }, job) => {
    const what = `${replies(count)} ${count === 1 ? 'was' : 'were'} delivered`;
    return {
      news: mrkdwn`❓ ${addressing(authorIds)}*Couldn't confirm that ${what}.*`,
      advice: mrkdwn`*Send again* may give the agent the same text twice.`,
      buttons: targetButton(buttons.sendAgain, job, { callId }, confirmations.sendAgain),
    };
  },
  recipe_skipped: ({ recipe }) => recipeSkipped(recipe),
  caught_up: ({ count }) => mrkdwn`📬 *I was offline.* Picked up ${replies(count)}.`,
  long_running: ({ question, lastedMs }, job) => ({
    news: mrkdwn`⏳ ${whoActs(job)}*Still working after ${duration(lastedMs)}.*`,
    advice: mrkdwn`Keep watching? The agent continues either way.`,
    buttons: [buttons.keepWatching, buttons.stopWatching].map((kind) =>
      targetButton(kind, job, { question }),
    ),
  }),
  follow_up: ({ userId, text }, _, { names }) => [
    mrkdwn`💬 *Reply* by ${nameIn(names, userId)}`,
    quotation(shownPrompt(text, names, PROMPT_MAX)),
  ],
  files_not_sent: ({ files, takesPictures }) => filesNotSent(files, takesPictures).blocks,
  snippets_not_sent: ({ snippets }) => {
    const lines = snippets.map(
      ({ name, problem }) => `${oneLine(unescaped(name))} · ${SNIPPET_PROBLEMS[problem]}`,
    );
    return [mrkdwn`📎 *Not sent* with the message:`, lines.join('\n')];
  },
  muted: ({ userId }, _, { names }) =>
    mrkdwn`🔇 *Muted by ${nameIn(names, userId)}.* Replies stay between people until \`unmute\`; mentions still reach the agent.`,
  unmuted: ({ userId }, _, { names, mode }) => {
    const afterwards = mode === 'mentions' ? ' In this channel, only mentions reach the agent.' : '';
    return mrkdwn`🔔 *Unmuted by ${nameIn(names, userId)}.*${afterwards}`;
  },
  notice_failed: ({ channelId, reason }) => {
    const channel = channelMention(channelId);
    return reason === NOT_SEEN
      ? mrkdwn`❓ *Couldn't confirm the notice in ${channel}.* It may be there.`
      : mrkdwn`⚠️ *Couldn't post in ${channel}:* ${whyRefused(reason)}. Invite me there, or change the notice channels in \`/docs-agent settings\`.`;
  },
};

/** The current state of a message in the thread. @param outcome after a decision, it replaces the buttons */
export function announcementView(
  announcement: Announcement,
  job: Job,
  thread: ThreadContext,
  outcome: OfferOutcome | null = null,
): SlackMessage {
  const all: Partial<Views> = { ...views, ...thread.features?.announcements };
  const viewOf = (all[announcement.kind] ?? ofRemovedFeature) as ViewOf<Announcement>;
  const view = viewOf(announcement, job, thread);
  const isOpen = outcome === null;
  const blocks = 'news' in view ? offerBlocks(view, isOpen) : view;
  if (isOpen) return messageOfJob(job, thread.names, blocks);
  const words = outcomeWords(outcome, thread);
  return messageOfJob(
    job,
    thread.names,
    // Removes the button beside a warning. *Reply to the agent*, in a row, stays.
    blocksOf(blocks).map(withoutAccessory),
    words !== null && smallPrint(mrkdwn`${words}`),
  );
}

const ofRemovedFeature = () => mrkdwn`🗄️ *This is no longer available.*`;

export function offerBlocks(
  { news, below, words, advice, buttons: offered, whileOpen }: OfferView,
  isOpen: boolean,
): Blocks {
  return [
    joined([news, isOpen && advice], ' '),
    below,
    words ? quotation(shown(words, REFUSAL_MAX)) : null,
    isOpen && [buttonRow(offered), whileOpen],
  ];
}

function whoActs(job: Job) {
  return addressing(responsibleFor(job));
}

function sentence(untrusted: string) {
  const line = oneLine(untrusted, WORDS_MAX);
  return asWritten(/[.!?…]$/.test(line) ? line : `${line}.`);
}

/** @param who null: in the form of *I found the job…* */
export function unclearStart(job: Job, callId: string, who: Mrkdwn | null): OfferView {
  return {
    news: mrkdwn`❓ ${who ?? ''}*Couldn't confirm the start.* The connection broke off in the middle, so the agent may already be working on it.`,
    advice: mrkdwn`Check for a pull request before you start again.`,
    buttons: [
      targetButton(buttons.startAgain, job, { callId }, confirmations.startAgain),
      who !== null && targetButton(buttons.watchAgentJob, job, { callId }),
      targetButton(buttons.dismissStart, job, { callId }),
    ],
  };
}

function rejectedReplies(
  { callId, message: words, action, authorIds, count, refusedBy }: AnnouncementOf<'message_rejected'>,
  job: Job,
): OfferView {
  const { creates, watchedAgentJobId } = job;
  const start = mrkdwn`⚠️ ${addressing(authorIds)}*Not sent:*`;
  const notSent = mrkdwn`${start} ${replies(count)}.`;
  if (action === 'start_again' && watchedAgentJobId === null) {
    return {
      news: mrkdwn`${notSent} The agent no longer knows this job.`,
      words,
      advice: mrkdwn`*Start again* sends the same request as a new job, then the replies that weren't sent.`,
      buttons: targetButton(buttons.startAgain, job, { creates, callId }),
    };
  }
  if (action === 'edit_and_start') {
    return {
      news: mrkdwn`${notSent} ${words}`,
      advice: mrkdwn`*Edit and start* sends the new request, then the replies that weren't sent.`,
      buttons: editAndStart(job),
    };
  }
  const offered = targetButton(buttons.sendAgain, job, { callId });
  if (refusedBy === 'program') return { news: mrkdwn`${notSent} ${words}`, buttons: offered };
  const why = words === '' ? 'gave no reason.' : 'says:';
  const news = mrkdwn`${start} the agent didn't accept ${replies(count)}. It ${why}`;
  return { news, words, buttons: offered };
}

const FILE_KINDS: Readonly<Record<FileKind, readonly [one: string, several?: string]>> = {
  image: ['image'],
  video: ['video'],
  sound: ['sound'],
  file: ['file'],
  forwarded: ['forwarded message without text', 'forwarded messages without text'],
  attachment: ['attachment without text', 'attachments without text'],
};

const SNIPPET_PROBLEMS = {
  unreadable: "Slack doesn't let me read it",
  no_text: "it isn't readable text",
  too_long: "it's too long for one message to the agent",
  too_many: 'one message to the agent takes 8 pictures, 20 MB in all',
  not_taken: "the agent doesn't take it",
};

export function filesNotSent(files: readonly UnsentFile[], takesPictures = false): SlackMessage {
  const kinds = Object.entries(FILE_KINDS).flatMap(([kind, words]) => {
    const alike = files.filter((file) => file.kind === kind);
    const names = alike.flatMap(({ name }) => (name === null ? [] : oneLine(unescaped(name))));
    const more = names.length > NAMES_MAX ? ', …' : '';
    const named = names.length === 0 ? '' : ` (${names.slice(0, NAMES_MAX).join(', ')}${more})`;
    return alike.length === 0 ? [] : `${counted(alike.length, ...words)}${named}`;
  });
  const taken = takesPictures ? 'text, and pictures as PNG, JPEG, GIF or WebP' : 'text only';
  return say`📎 *Not sent:* ${kinds.join(', ')}. The agent takes ${taken}.`;
}

export const outcomes = {
  started_again: (name) => `${name} started it again`,
  sent_again: (name, { count = 1 }) => `${name} sent ${count === 1 ? 'it' : 'them'} again`,
  edited: (name) => `${name} edited the request and started it`,
  found: (name) => `${name} found it; I'm watching that job now`,
  watched_elsewhere: (_name, { other }) => {
    const number = other === undefined ? '' : `#${other.number}`;
    const thread = other?.threadUrl ? ownLink(other.threadUrl, 'its thread') : 'its thread';
    return mrkdwn`That's ${number}, watched in ${thread}. Closed here.`;
  },
  kept_watching: (name) => `${name} chose to keep watching`,
  stopped_watching: (name) => `${name} stopped watching; the agent may still be working`,
  started: (name) => `🚀 Started by ${name}`,
  dismissed: (name) => `Dismissed by ${name}`,
  withdrawn: (name) => `Withdrawn by ${name}`,
  expired: () => 'Expired after 7 days',
  confirmed: () => 'The agent confirmed it after all',
  continued: () => 'A reply continued it',
  moot: () => null,
} satisfies FeatureViews['outcomes'];

function outcomeWords(outcome: OfferOutcome, { names, features }: ThreadContext) {
  const all: FeatureViews['outcomes'] = { ...outcomes, ...features?.outcomes };
  return all[outcome.answer]?.(nameIn(names, outcome.by, 'Somebody'), outcome) ?? null;
}

/** Answers a press without effect. @param outcome null: unknown */
export function tooLateView(job: Job, outcome: OfferOutcome | null, thread: ThreadContext): SlackMessage {
  // A failed card matters more than the decision.
  const isDecided = outcome !== null && job.stage.kind !== 'card_failed';
  const words = isDecided ? outcomeWords(outcome, thread) : null;
  return say`Already done: ${words ?? stateLine(job, thread)}.`;
}

function draftView({ number, approvers }: AnnouncementOf<'draft'>, job: Job, { names }: ThreadContext) {
  const { words, notes, permalink } = asRead(job.prompt, names);
  const { stage } = job;
  const count = stage.kind === 'draft' ? stage.messages.length + (stage.replies ?? 0) : 0;
  const draftButton = (kind: ButtonKind) => targetButton(kind, job, { draft: number });
  return {
    news: mrkdwn`📝 *Draft* from ${sourceOf(job, permalink, names)}`,
    below: [
      quotation(shown(words, PROMPT_MAX)),
      notes !== null && [mrkdwn`*${withNotes}*`, quotation(shown(notes, PROMPT_MAX))],
    ],
    whileOpen: [
      count > 0 &&
        paragraph(
          mrkdwn`${counted(count, 'message')} of this thread included`,
          draftButton(buttons.chooseForDraft),
        ),
      buttonRow([buttons.startDraft, buttons.editDraft, buttons.dismissDraft].map(draftButton)),
      approvers.length > 0 && smallPrint(mrkdwn`only ${namesOf(approvers, names)} can start it`),
    ],
  };
}

export function onlyTheseView(approvers: readonly string[], names: Names): SlackMessage {
  return say`Only ${namesOf(approvers, names)} can start this.`;
}

export function draftTooLongView(tooLong: Refusal, job: Job, draft: number): SlackMessage {
  const toForm = tooLong.kind === 'too_long' ? buttons.editDraft : buttons.chooseForDraft;
  const { blocks } = refusalView(tooLong, buttonRow(targetButton(toForm, job, { draft })));
  return messageOfJob(job, NO_NAMES, blocks);
}

export function namedInDraft({ approvers }: AnnouncementOf<'draft'>, { requesterId, origin }: Job): string[] {
  const authorId = origin.kind === 'reaction' ? origin.authorId : undefined;
  return [...[requesterId, authorId].flatMap((userId) => userId ?? []), ...approvers];
}

function sourceOf(job: Job, permalink: string | null, names: Names) {
  const { origin, recipe, requesterId } = job;
  if (recipe !== undefined) {
    const name = mrkdwn`recipe *${oneLine(recipe)}*`;
    // Otherwise, its schedule ran it.
    return requesterId === null ? name : mrkdwn`${name}, run by ${nameIn(names, requesterId)}`;
  }
  // An edit may have removed the URL from the request.
  if (origin.kind === 'reaction') return messageLink(permalink, nameIn(names, origin.authorId ?? null));
  const app = origin.kind === 'mention' ? origin.app : undefined;
  return messageLink(app?.permalink ?? null, oneLine(askerOf(job, names) ?? labels.somebody));
}

function messageLink(permalink: string | null, name: string) {
  const address = httpUrl(permalink ?? '');
  if (address === null || address.length > ADDRESS_MAX) return name;
  // In links, `|` separates URL and text.
  return ownLink(address, `${name.replaceAll('|', '¦')}'s message`);
}

function namesOf(userIds: readonly string[], names: Names) {
  return enumerated(
    userIds.map((userId) => nameIn(names, userId)),
    NAMES_MAX,
  );
}

export const recipeSkipped = (recipe: string) =>
  mrkdwn`⏭️ *Skipped ${oneLine(recipe)}:* its last job is still open.`;

export function recipePausedView(recipe: string, owners: readonly string[]): SlackMessage {
  return message(
    mrkdwn`⚠️ ${addressing(owners)}*Paused ${oneLine(recipe)}* after three failures in a row.`,
    buttonRow(recipeButton(buttons.resumeRecipe, recipe)),
  );
}

/** For screen readers, since all labels are the same. */
export function recipeButton(kind: ButtonKind, recipe: string): Button {
  return {
    ...pressButton(kind, recipe),
    accessibility_label: cut(`${kind.label} ${oneLine(recipe)}`, BUTTON_LABEL_MAX),
  };
}
