import type { Button } from '@slack/types';
import type { AnnouncementOf } from '#jobs/announcement.ts';
import type { Job } from '#jobs/job.ts';
import { displayText, readableText } from '../protocol/slack-text.ts';
import { type Button as ButtonKind, buttons } from './buttons.ts';
import { askerOf, type Place } from './job.ts';
import {
  actionButton,
  type Blocks,
  buttonRow,
  message,
  messageOfJob,
  paragraph,
  pressButton,
  quotation,
  type SlackMessage,
  say,
  smallPrint,
  targetButton,
} from './message.ts';
import { type Refusal, refusalView } from './private-answers.ts';
import {
  addressing,
  asRead,
  BUTTON_LABEL_MAX,
  channelMention,
  counted,
  cut,
  httpUrl,
  labels,
  mrkdwn,
  type Names,
  nameIn,
  oneLine,
  ownLink,
  shown,
  shownPrompt,
  whyRefused,
  withNotes,
} from './text.ts';

const PROMPT_MAX = 2_500;
const ADDRESS_MAX = 500;
const NAMED_MAX = 10;
const list = new Intl.ListFormat('en', { type: 'conjunction' });

export function draftView(
  { number, approvers }: AnnouncementOf<'draft'>,
  job: Job,
  { names }: Place,
): SlackMessage {
  const target = { jobId: job.id, draft: number };
  const { stage } = job;
  const count = stage.kind === 'draft' ? stage.messages.length + (stage.replies ?? 0) : 0;
  return message(
    draftBlocks(job, names),
    count > 0 &&
      paragraph(
        mrkdwn`${counted(count, 'message')} of this thread included`,
        targetButton(buttons.chooseForDraft, target),
      ),
    buttonRow(
      [buttons.startDraft, buttons.editDraft, buttons.dismissDraft].map((kind) => targetButton(kind, target)),
    ),
    approvers.length > 0 && smallPrint(mrkdwn`only ${namesOf(approvers, names)} can start it`),
  );
}

export function draftBlocks(job: Job, names: Names): Blocks {
  const { words, notes, permalink } = asRead(displayText(readableText(job.prompt, names)));
  return [
    mrkdwn`📝 *Draft* from ${sourceOf(job, permalink, names)}`,
    quotation(shown(words, PROMPT_MAX)),
    notes !== null && [mrkdwn`*${withNotes}*`, quotation(shown(notes, PROMPT_MAX))],
  ];
}

export function onlyTheseView(approvers: readonly string[], names: Names): SlackMessage {
  return say`Only ${namesOf(approvers, names)} can start this.`;
}

export function draftTooLongView(tooLong: Refusal, job: Job, draft: number): SlackMessage {
  const toForm = tooLong.kind === 'too_long' ? buttons.editDraft : buttons.chooseForDraft;
  const { blocks } = refusalView(tooLong, actionButton(toForm, { jobId: job.id, draft }));
  return messageOfJob(job, new Map(), blocks);
}

export function draftRefusedView(reason: string, { channelId, prompt }: Job, names: Names): SlackMessage {
  return message(
    mrkdwn`⚠️ *Couldn't post a draft in ${channelMention(channelId)}:* ${whyRefused(reason)}. The draft wasn't kept; ask again once that's fixed.`,
    quotation(shownPrompt(prompt, names, PROMPT_MAX)),
  );
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
  if (address === null || address.length > ADDRESS_MAX) return mrkdwn`${name}`;
  // In links, `|` separates URL and text.
  return ownLink(address, `${name.replaceAll('|', '¦')}'s message`);
}

function namesOf(userIds: readonly string[], names: Names) {
  const named = userIds.slice(0, NAMED_MAX).map((userId) => nameIn(names, userId));
  const others = userIds.length - named.length;
  return list.format(others === 0 ? named : [...named, counted(others, 'other')]);
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
