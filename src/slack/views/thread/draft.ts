import type { AnnouncementOf } from '../../../jobs/announcement.ts';
import type { Job } from '../../../jobs/job.ts';
import { displayText, readableText } from '../../protocol/slack-text.ts';
import { messageOfJob } from '../list.ts';
import { buttons } from '../parts/buttons.ts';
import {
  actionButton,
  type Blocks,
  buttonRow,
  message,
  paragraph,
  quotation,
  type SlackMessage,
  say,
  smallPrint,
  targetButton,
} from '../parts/message.ts';
import { channelMention, counted, httpUrl, type Mrkdwn, mrkdwn, ownLink } from '../parts/mrkdwn.ts';
import { asRead, type Names, oneLine, shown, shownPrompt, withNotes } from '../parts/untrusted.ts';
import { askerOf, labels, nameIn, whyRefused } from '../parts/words.ts';
import { type Refusal, refusalView } from '../refusals.ts';

const PROMPT_MAX = 2_500;
const ADDRESS_MAX = 500;
const NAMED_MAX = 10;
const list = new Intl.ListFormat('en', { type: 'conjunction' });

/** The request that waits for a person to start it, and who may. */
export function draftView(
  { number, approvers }: AnnouncementOf<'draft'>,
  job: Job,
  names: Names,
): SlackMessage {
  const target = { jobId: job.id, draft: number };
  const { stage } = job;
  const count = stage.kind === 'draft' ? stage.messages.length + (stage.replies ?? 0) : 0;
  return message(
    draftBlocks(job, names),
    count > 0 && {
      ...paragraph(mrkdwn`${counted(count, 'message')} of this thread included`),
      accessory: targetButton(buttons.chooseForDraft, target),
    },
    buttonRow(
      targetButton(buttons.startDraft, target),
      targetButton(buttons.editDraft, target),
      targetButton(buttons.dismissDraft, target),
    ),
    approvers.length > 0 && smallPrint(mrkdwn`only ${namesOf(approvers, names)} can start it`),
  );
}

/** What remains of it once it was started or dismissed. */
export function draftBlocks(job: Job, names: Names): Blocks {
  const { words, notes, permalink } = asRead(displayText(readableText(job.prompt, names)));
  return [
    paragraph(mrkdwn`📝 *Draft* from ${sourceOf(job, permalink, names)}`),
    quotation(shown(words, PROMPT_MAX)),
    notes !== null && [paragraph(mrkdwn`*${withNotes}*`), quotation(shown(notes, PROMPT_MAX))],
  ];
}

export function onlyTheseView(approvers: readonly string[], names: Names): SlackMessage {
  return say`Only ${namesOf(approvers, names)} can start this.`;
}

/** For a person who cannot start it as it is: with a way to the form. */
export function draftTooLongView(tooLong: Refusal, job: Job, draft: number): SlackMessage {
  const toForm = tooLong.kind === 'too_long' ? buttons.editDraft : buttons.chooseForDraft;
  const view = refusalView(tooLong, actionButton(toForm, { jobId: job.id, draft }));
  return messageOfJob(job, new Map(), view);
}

/** For the person who asked for it. @param reason Slack's error code */
export function draftRefusedView(reason: string, { channelId, prompt }: Job, names: Names): SlackMessage {
  const where = channelMention(channelId);
  const why = whyRefused(reason);
  return message(
    paragraph(
      mrkdwn`⚠️ *Couldn't post a draft in ${where}:* ${why}. The draft wasn't kept; ask again once that's fixed.`,
    ),
    quotation(shownPrompt(prompt, names, PROMPT_MAX)),
  );
}

export function namedInDraft({ approvers }: AnnouncementOf<'draft'>, { requesterId, origin }: Job): string[] {
  const authorId = origin.kind === 'reaction' ? origin.authorId : undefined;
  return [...[requesterId, authorId].flatMap((userId) => userId ?? []), ...approvers];
}

function sourceOf(job: Job, permalink: string | null, names: Names): Mrkdwn {
  const { origin, recipe, requesterId } = job;
  if (recipe !== undefined) {
    const name = mrkdwn`recipe *${oneLine(recipe)}*`;
    // Otherwise, it started by itself.
    return requesterId === null ? name : mrkdwn`${name}, run by ${nameIn(names, requesterId)}`;
  }
  // An edit of the request may have removed the URL.
  if (origin.kind === 'reaction') return messageLink(permalink, nameIn(names, origin.authorId ?? null));
  const app = origin.kind === 'mention' ? origin.app : undefined;
  return messageLink(app?.permalink ?? null, oneLine(askerOf(job, names) ?? labels.somebody));
}

/** Links to the message that it is about, if there is one. */
function messageLink(permalink: string | null, name: string): Mrkdwn {
  const address = httpUrl(permalink ?? '');
  if (address === null || address.length > ADDRESS_MAX) return mrkdwn`${name}`;
  // In a link, `|` separates URL and words.
  return ownLink(address, `${name.replaceAll('|', '¦')}'s message`);
}

function namesOf(userIds: readonly string[], names: Names): string {
  const named = userIds.slice(0, NAMED_MAX).map((userId) => nameIn(names, userId));
  const others = userIds.length - named.length;
  return list.format(others === 0 ? named : [...named, counted(others, 'other')]);
}
