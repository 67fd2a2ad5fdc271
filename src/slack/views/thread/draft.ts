import type { KnownBlock } from '@slack/types';
import type { Announcement } from '../../../jobs/announcement.ts';
import type { Job } from '../../../jobs/job.ts';
import { displayText, readableText } from '../../protocol/slack-text.ts';
import { messageOfJob } from '../list.ts';
import { buttons } from '../parts/buttons.ts';
import {
  actionButton,
  buttonRow,
  message,
  paragraph,
  quotation,
  type SlackMessage,
  say,
  smallPrint,
  targetButton,
  withButton,
} from '../parts/message.ts';
import { channelMention, type Mrkdwn, mrkdwn, ownLink } from '../parts/mrkdwn.ts';
import { httpUrl } from '../parts/pull-request.ts';
import { asRead, oneLine, shown, shownPrompt } from '../parts/untrusted.ts';
import { askerOf, draftTexts, labels, refusedNotices } from '../parts/words.ts';
import { type Refusal, refusalView } from '../refusals.ts';

type DraftAnnouncement = Extract<Announcement, { kind: 'draft' }>;

const PROMPT_MAX = 2_500;
const NAME_MAX = 100;
const ADDRESS_MAX = 500;
const NAMED_MAX = 10;
const REASON_MAX = 100;
const list = new Intl.ListFormat('en', { type: 'conjunction' });

/** The request, and who may send it. */
export function draftView(
  { number, approvers }: DraftAnnouncement,
  job: Job,
  names: ReadonlyMap<string, string>,
): SlackMessage {
  const target = { jobId: job.id, draft: number };
  const { stage } = job;
  const count = stage.kind === 'draft' ? stage.messages.length + (stage.replies ?? 0) : 0;
  const along = paragraph(draftTexts.included(count));
  return message(
    ...draftBlocks(job, names),
    ...(count === 0 ? [] : [withButton(along, buttons.chooseForDraft, target)]),
    buttonRow(
      targetButton(buttons.startDraft, target),
      targetButton(buttons.editDraft, target),
      targetButton(buttons.dismissDraft, target),
    ),
    ...(approvers.length === 0 ? [] : [smallPrint(draftTexts.onlyThese(namesOf(approvers, names)))]),
  );
}

/** What remains of it once it was started or dismissed. */
export function draftBlocks(job: Job, names: ReadonlyMap<string, string>): [KnownBlock, ...KnownBlock[]] {
  const { words, notes, permalink } = asRead(displayText(readableText(job.prompt, names)));
  return [
    paragraph(draftTexts.news(from(job, permalink, names))),
    quotation(shown(words, PROMPT_MAX)),
    ...(notes === null ? [] : [paragraph(draftTexts.withNotes), quotation(shown(notes, PROMPT_MAX))]),
  ];
}

/** For a person who may not start it. */
export function onlyTheseView(
  approvers: readonly string[],
  names: ReadonlyMap<string, string>,
): SlackMessage {
  return say(draftTexts.notYours(namesOf(approvers, names)));
}

/** For a person who cannot start it as it is: with a way to the form. */
export function draftTooLongView(tooLong: Refusal, job: Job, draft: number): SlackMessage {
  const toForm = tooLong.kind === 'too_long' ? buttons.editDraft : buttons.chooseForDraft;
  const view = refusalView(tooLong, actionButton(toForm, { jobId: job.id, draft }));
  return messageOfJob(job, new Map(), view);
}

/** For the person who asked for it. @param reason Slack's error code */
export function draftRefusedView(reason: string, job: Job, names: ReadonlyMap<string, string>): SlackMessage {
  const why = refusedNotices[reason] ?? oneLine(reason, REASON_MAX);
  return message(
    paragraph(draftTexts.notPosted(channelMention(job.channelId), why)),
    quotation(shownPrompt(job.prompt, names, PROMPT_MAX)),
  );
}

export function namedInDraft({ approvers }: DraftAnnouncement, { requesterId, origin }: Job): string[] {
  const authorId = origin.kind === 'reaction' ? origin.authorId : undefined;
  return [...[requesterId, authorId].flatMap((userId) => userId ?? []), ...approvers];
}

function from(job: Job, permalink: string | null, names: ReadonlyMap<string, string>): Mrkdwn {
  const { origin, recipe, requesterId } = job;
  const nameOf = (userId: string) => oneLine(names.get(userId) ?? labels.somebody, NAME_MAX);
  if (recipe !== undefined) {
    return draftTexts.recipe(oneLine(recipe, NAME_MAX), requesterId === null ? null : nameOf(requesterId));
  }
  if (origin.kind === 'reaction') {
    const author = nameOf(origin.authorId ?? '');
    // An edit of the request may have removed the URL.
    return permalink === null ? mrkdwn`${author}` : messageLink(permalink, author);
  }
  const asker = oneLine(askerOf(job, names) ?? labels.somebody, NAME_MAX);
  const isOfApp = origin.kind === 'mention' && origin.app !== undefined;
  return isOfApp ? messageLink(origin.app.permalink, asker) : mrkdwn`${asker}`;
}

function messageLink(permalink: string, name: string): Mrkdwn {
  const address = httpUrl(permalink);
  if (address === null || address.length > ADDRESS_MAX) return mrkdwn`${name}`;
  // In a link, `|` separates URL and words.
  return ownLink(address, draftTexts.messageOf(name.replaceAll('|', '¦')));
}

function namesOf(userIds: readonly string[], names: ReadonlyMap<string, string>): string {
  const named = userIds
    .slice(0, NAMED_MAX)
    .map((userId) => oneLine(names.get(userId) ?? labels.somebody, NAME_MAX));
  const others = userIds.length - named.length;
  return list.format(others === 0 ? named : [...named, draftTexts.others(others)]);
}
