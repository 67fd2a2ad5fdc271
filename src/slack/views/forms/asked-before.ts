import type { ModalView } from '@slack/types';
import type { Job } from '../../../jobs/job.ts';
import { encode } from '../../protocol/form-data.ts';
import { actionIds, viewIds } from '../../protocol/ids.ts';
import { form, newsAbove } from '../parts/form.ts';
import { briefState } from '../parts/job-line.ts';
import {
  type ButtonPart,
  buttons,
  message,
  offerButton,
  openThreadButton,
  paragraph,
  type SlackMessage,
} from '../parts/message.ts';
import { type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';
import { httpUrl } from '../parts/pull-request.ts';
import { labels } from '../parts/words.ts';

/** A request that waits for an answer, and the job that it repeats, if that is still known. */
export interface Question {
  readonly job: Job;
  readonly sameAs: Job | null;
}

/**
 * Asks, privately, whether the same words a moment later are meant to be another job.
 * @param permalink the address of the thread of the job that they repeat, or null if there is none yet
 */
export function askedBeforeView({ job, sameAs }: Question, permalink: string | null): SlackMessage {
  const startAnother = offerButton(labels.startAnother, actionIds.startAnother, { jobId: job.id });
  return message(
    paragraph(askedBefore({ job, sameAs })),
    // The words above name it.
    buttons(...openThread(permalink), { ...startAnother, twin: null }),
  );
}

/** The same in a form, in place of the one that was submitted. */
export function askedBeforeForm(
  question: Question,
  permalink: string | null,
  responseUrl: string | null,
): ModalView {
  const data = encode({ jobId: question.job.id, responseUrl });
  const thread = openThread(permalink);
  const parts = [paragraph(askedBefore(question)), ...(thread.length === 0 ? [] : [buttons(...thread)])];
  return askingForm(
    data,
    parts.map(({ block }) => block),
  );
}

/** That form again, with news of what kept the job from starting: it can be sent again. */
export function askedStillForm(
  {
    private_metadata: data,
    blocks,
  }: { readonly private_metadata: string; readonly blocks: ModalView['blocks'] },
  news: SlackMessage,
): ModalView {
  return askingForm(data, newsAbove(blocks, news));
}

function askingForm(data: string, blocks: ModalView['blocks']): ModalView {
  const { startAnother } = labels;
  return form({ id: viewIds.startAnother, title: 'Start another?', submit: startAnother, data }, blocks);
}

function openThread(permalink: string | null): ButtonPart[] {
  const url = permalink === null ? null : httpUrl(permalink);
  return url === null ? [] : [openThreadButton(url)];
}

/** The question itself. */
function askedBefore({ job, sameAs }: Question): Mrkdwn {
  const before = sameAs === null ? 'a moment ago' : secondsAgo(job.requestedAtMs - sameAs.requestedAtMs);
  return mrkdwn`🔁 *You asked the same ${before}.*${fate(sameAs)} *${labels.startAnother}* gives the agent the same work a second time.`;
}

function fate(sameAs: Job | null): Mrkdwn {
  if (sameAs === null) return mrkdwn``;
  if (sameAs.stage.kind === 'ended') return mrkdwn` That job is over: you can go on with it in its thread.`;
  return mrkdwn` That job: ${briefState(sameAs)}.`;
}

/** In place of the question, when it is answered. */
export function startedAnotherView(): SlackMessage {
  return message(paragraph(mrkdwn`🚀 *Starting another.* Its card is about to appear.`));
}

/** In place of a question that was answered before. */
export function startedBeforeView(): SlackMessage {
  return message(paragraph(mrkdwn`👌 *It was started already.* Nothing more was done.`));
}

function secondsAgo(ms: number): string {
  const seconds = Math.max(Math.round(ms / 1000), 0);
  if (seconds === 0) return 'just now';
  return seconds === 1 ? '1 second ago' : `${seconds} seconds ago`;
}
