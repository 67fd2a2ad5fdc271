import type { Button } from '@slack/types';
import type { Announcement, AnnouncementOf } from '#jobs/announcement.ts';
import { agentCan, type Job, type OfferAnswer, type OfferOutcome, responsibleFor } from '#jobs/job.ts';
import type { FileKind, UnsentFile } from '#jobs/requests/attachments.ts';
import { unescaped } from '#jobs/requests/command.ts';
import { NOT_SEEN } from '../protocol/error-codes.ts';
import { buttons } from './buttons.ts';
import { draftBlocks, draftView, recipeSkipped } from './draft.ts';
import { editAndStart, type Place, startAgain, startAgainOrEdit, stateLine } from './job.ts';
import {
  type Blocks,
  buttonRow,
  confirmations,
  message,
  messageOfJob,
  quotation,
  type SlackMessage,
  say,
  smallPrint,
  targetButton,
  untrustedParagraph,
  withoutAccessory,
} from './message.ts';
import {
  addressing,
  asWritten,
  channelMention,
  counted,
  duration,
  joined,
  type Mrkdwn,
  moment,
  mrkdwn,
  nameIn,
  oneLine,
  ownLink,
  type Parts,
  replies,
  sentence,
  shown,
  shownPrompt,
  whyRefused,
} from './text.ts';
import { latePullRequestView, pullRequestOfEnd, stoppedView, turnEndedView } from './turn-ended.ts';

const FOLLOW_UP_MAX = 2500;
const WORDS_MAX = 300;
const REFUSAL_MAX = 1000;
const NAMES_MAX = 10;

type Question = Readonly<{
  news: Mrkdwn;
  below?: Blocks;
  /** From the agent or a code host; untrusted. */
  words?: string;
  advice?: Mrkdwn;
  buttons: Parts<Button>;
}>;

type ViewOf<One> = (announcement: One, job: Job, place: Place) => SlackMessage | Question;

type Views = { readonly [K in Announcement['kind']]: ViewOf<AnnouncementOf<K>> };

export type FeatureViews = Readonly<{
  announcements?: Partial<Views>;
  outcomes?: {
    readonly [D in OfferAnswer]?: (name: string, outcome: Omit<OfferOutcome, 'answer'>) => Mrkdwn | null;
  };
}>;

/** Features have the others. */
const views: Omit<Views, 'pull_request_over' | 'reminder'> = {
  draft: draftView,
  started: (_, _job, { mode }) => {
    const steering = mode === 'mentions' ? 'Mention me' : 'Reply';
    return say`⚙️ *On it.* ${steering} here to steer; I'll post the pull request in this thread.`;
  },
  continued: () => say`⚙️ *Working again.* Somebody continued this job outside of Slack.`,
  turn_ended: turnEndedView,
  failed: (failed, job, { sites }) => {
    const { inARow = 1, reason } = failed;
    const times = inARow === 2 ? 'Twice' : `${inARow} times`;
    const offered = startAgainOrEdit(job);
    const why = reason === undefined ? 'The agent gave no reason.' : asWritten(sentence(reason, WORDS_MAX));
    const news = mrkdwn`❌ ${whoActs(job)}*Failed.* ${why}`;
    return {
      news:
        inARow < 2
          ? news
          : mrkdwn`${news} ${times} in a row. A shorter request that names the page often helps.`,
      below: pullRequestOfEnd(failed, job, sites),
      ...(offered === null && { advice: mrkdwn`A reply may still reopen it.` }),
      buttons: offered,
    };
  },
  archived: (archived, job, { sites }) =>
    message(mrkdwn`⚪ *Archived.* A reply may still reopen it.`, pullRequestOfEnd(archived, job, sites)),
  vanished: (_, job) => ({
    news: mrkdwn`❌ ${whoActs(job)}*The agent no longer knows this job.*`,
    buttons: startAgain(job),
  }),
  no_such_job: (_, job) => {
    const id = oneLine(job.watchedAgentJobId ?? '');
    return say`❌ *The agent has no job “${id}” in the ${oneLine(job.projectName)} project.* Check the id, then type \`/docs-agent watch\` with the right one; \`/docs-agent project=name watch job_123\` looks in another project.`;
  },
  keeps_changing: ({ pauseMs }) =>
    say`⚠️ *The agent keeps changing its answer;* I'll look again in ${duration(pauseMs)}.`,
  stopped: stoppedView,
  not_stopped: ({ words }) => {
    const why = words === undefined ? '' : mrkdwn` ${asWritten(sentence(words, WORDS_MAX))}`;
    return say`⚠️ *Couldn't stop the agent.*${why}`;
  },
  unwatched: ({ userId }, _, { names }) =>
    say`⚪ *No longer watching:* ${nameIn(names, userId)} stopped it, but the agent can't be stopped and may still be working.`,
  pull_request: latePullRequestView,
  trouble: ({ trouble, retryAtMs, words }) => {
    switch (trouble) {
      case 'rate_limited':
        return say`⏳ *The agent's hourly limit is used up.* Your requests and replies are saved and continue ${moment(retryAtMs)}.`;
      case 'unreachable':
        return say`⏳ *Can't reach the agent.* Your requests and replies are saved and will continue automatically.`;
      case 'needs_admin':
        return say`⚠️ *An administrator needs to fix the connection to the agent.* ${words === undefined ? '' : mrkdwn`${asWritten(sentence(words, WORDS_MAX))} `}Everything is saved and continues once it's fixed.`;
    }
  },
  recovered: () => say`✅ *Back online.* Continuing.`,
  create_rejected: ({ message: words }, job) => {
    const why = words === '' ? 'The agent gave no reason.' : 'The agent says:';
    return { news: mrkdwn`❌ ${whoActs(job)}*Not accepted.* ${why}`, words, buttons: editAndStart(job) };
  },
  create_unknown: ({ callId }, job) => unclearStart(job, callId, whoActs(job)),
  message_rejected: rejectedReplies,
  message_unknown: ({ callId, count, authorIds }, { id: jobId }) => {
    const what = mrkdwn`${replies(count)} ${count === 1 ? 'was' : 'were'} delivered`;
    return {
      news: mrkdwn`❓ ${addressing(authorIds)}*Couldn't confirm that ${what}.*`,
      advice: mrkdwn`*Send again* may give the agent the same text twice.`,
      buttons: targetButton(buttons.sendAgain, { jobId, callId }, confirmations.sendAgain),
    };
  },
  recipe_skipped: ({ recipe }) => message(recipeSkipped(recipe)),
  caught_up: ({ count }) => say`📬 *I was offline.* Picked up ${replies(count)}.`,
  long_running: ({ question, lastedMs }, job) => ({
    news: mrkdwn`⏳ ${whoActs(job)}*Still working after ${duration(lastedMs)}.*`,
    advice: mrkdwn`Keep watching? The agent continues either way.`,
    buttons: [buttons.keepWatching, buttons.stopWatching].map((kind) =>
      targetButton(kind, { jobId: job.id, question }),
    ),
  }),
  follow_up: ({ userId, text }, _, { names }) =>
    message(
      mrkdwn`💬 *Reply* by ${nameIn(names, userId)}`,
      quotation(shownPrompt(text, names, FOLLOW_UP_MAX)),
    ),
  files_not_sent: ({ files }, job) => filesNotSent(files, agentCan(job, 'images')),
  snippets_not_sent: ({ snippets }) => {
    const lines = snippets.map(
      ({ name, problem }) => `${oneLine(unescaped(name))} · ${SNIPPET_PROBLEMS[problem]}`,
    );
    return message(mrkdwn`📎 *Not sent* with the message:`, untrustedParagraph(lines.join('\n')));
  },
  muted: ({ userId }, _, { names }) =>
    say`🔇 *Muted by ${nameIn(names, userId)}.* Replies stay between people until \`unmute\`; mentions still reach the agent.`,
  unmuted: ({ userId }, _, { names, mode }) => {
    const afterwards = mode === 'mentions' ? ' In this channel, only mentions reach the agent.' : '';
    return say`🔔 *Unmuted by ${nameIn(names, userId)}.*${afterwards}`;
  },
  notice_failed: ({ channelId, reason }) => {
    const channel = channelMention(channelId);
    return reason === NOT_SEEN
      ? say`❓ *Couldn't confirm the notice in ${channel}.* It may be there.`
      : say`⚠️ *Couldn't post in ${channel}:* ${whyRefused(reason)}. Invite me there, or change the notice channels in \`/docs-agent settings\`.`;
  },
};

type ViewContext = Place & Readonly<{ features?: FeatureViews }>;

/** @param isOpen false after the decision: no buttons or advice */
export function announcementView(
  announcement: Announcement,
  job: Job,
  thread: ViewContext,
  isOpen = true,
): SlackMessage {
  const { kind } = announcement;
  const all: Partial<Views> = { ...views, ...thread.features?.announcements };
  const viewOf = all[kind] as ViewOf<Announcement> | undefined;
  if (viewOf === undefined) throw new Error(`${kind} has no view`);
  const view = viewOf(announcement, job, thread);
  return messageOfJob(job, thread.names, 'news' in view ? questionBlocks(view, isOpen) : view.blocks);
}

export function questionBlocks(
  { news, below, words, advice, buttons: offered }: Question,
  isOpen: boolean,
): Blocks {
  return [
    joined([news, isOpen && advice], ' '),
    below,
    words ? quotation(shown(words, REFUSAL_MAX)) : null,
    isOpen && buttonRow(offered),
  ];
}

function whoActs(job: Job) {
  return addressing(responsibleFor(job));
}

/** @param who null: in the form of *I found the job…* */
export function unclearStart({ id: jobId }: Job, callId: string, who: Mrkdwn | null): Question {
  const target = { jobId, callId };
  return {
    news: mrkdwn`❓ ${who ?? ''}*Couldn't confirm the start.* The connection broke off in the middle, so the agent may already be working on it.`,
    advice: mrkdwn`Check for a pull request before you start again.`,
    buttons: [
      targetButton(buttons.startAgain, target, confirmations.startAgain),
      who !== null && targetButton(buttons.watchAgentJob, target),
      targetButton(buttons.dismissStart, target),
    ],
  };
}

function rejectedReplies(
  { callId, message: words, action, authorIds, count, refusedBy }: AnnouncementOf<'message_rejected'>,
  job: Job,
): Question {
  const { id: jobId, creates, watchedAgentJobId } = job;
  const who = addressing(authorIds);
  const notSent = mrkdwn`⚠️ ${who}*Not sent:* ${replies(count)}.`;
  if (action === 'start_again' && watchedAgentJobId === null) {
    return {
      news: mrkdwn`${notSent} The agent no longer knows this job.`,
      words,
      advice: mrkdwn`*Start again* sends the same request as a new job, then the replies that weren't sent.`,
      buttons: targetButton(buttons.startAgain, { jobId, creates, callId }),
    };
  }
  if (action === 'edit_and_start') {
    return {
      news: mrkdwn`${notSent} ${words}`,
      advice: mrkdwn`*Edit and start* sends the new request, then the replies that weren't sent.`,
      buttons: editAndStart(job),
    };
  }
  const offered = targetButton(buttons.sendAgain, { jobId, callId });
  if (refusedBy === 'program') return { news: mrkdwn`${notSent} ${words}`, buttons: offered };
  const why = words === '' ? 'gave no reason.' : 'says:';
  return {
    news: mrkdwn`⚠️ ${who}*Not sent:* the agent didn't accept ${replies(count)}. It ${why}`,
    words,
    buttons: offered,
  };
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
  return say`📎 *Not sent:* ${kinds.join(', ')}. The agent takes text ${takesPictures ? 'and pictures' : 'only'}.`;
}

export const outcomes = {
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
  started: (name) => mrkdwn`🚀 Started by ${name}`,
  dismissed: (name) => mrkdwn`Dismissed by ${name}`,
  withdrawn: (name) => mrkdwn`Withdrawn by ${name}`,
  expired: () => mrkdwn`Expired after 7 days`,
  confirmed: () => mrkdwn`The agent confirmed it after all`,
  continued: () => mrkdwn`A reply continued it`,
  moot: () => null,
} satisfies FeatureViews['outcomes'];

function outcomeWords(outcome: OfferOutcome, { names, features }: ViewContext) {
  const all: FeatureViews['outcomes'] = { ...outcomes, ...features?.outcomes };
  return all[outcome.answer]?.(nameIn(names, outcome.by, 'Somebody'), outcome) ?? null;
}

/** The current state of a message in the thread. After a decision, its outcome replaces the buttons. */
export function postedView(
  announcement: Announcement,
  job: Job,
  outcome: OfferOutcome | null,
  thread: ViewContext,
): SlackMessage {
  const { names } = thread;
  const isOpen = outcome === null;
  const view = announcementView(announcement, job, thread, isOpen);
  if (isOpen) return view;
  const words = outcomeWords(outcome, thread);
  const decided = announcement.kind === 'draft' ? message(draftBlocks(job, names)) : view;
  // Removes the button beside a warning. *Reply to the agent*, in a row, stays.
  const blocks = decided.blocks.map(withoutAccessory);
  return messageOfJob(job, names, blocks, words !== null && smallPrint(words));
}

/** Answers a press without effect. @param outcome null: unknown */
export function tooLateView(job: Job, outcome: OfferOutcome | null, thread: ViewContext): SlackMessage {
  // A failed card matters more than the decision.
  const isDecided = outcome !== null && job.stage.kind !== 'card_failed';
  const words = isDecided ? outcomeWords(outcome, thread) : null;
  return say`Already done: ${words ?? stateLine(job, thread.sites, thread.names)}.`;
}
