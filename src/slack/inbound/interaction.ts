import { AsyncLocalStorage } from 'node:async_hooks';
import type { ModalView } from '@slack/types';
import { sitesOf } from '#engine/apply-event.ts';
import { outcomeOfOffer } from '#jobs/decide/decide.ts';
import type { JobEvent } from '#jobs/event.ts';
import { endedByOf, type Job } from '#jobs/job.ts';
import { CLOCK_SKEW_MS } from '../messages/message-event.ts';
import { threadLink } from '../protocol/ids.ts';
import { mentionedIds } from '../protocol/slack-text.ts';
import { tooLateView } from '../views/announcement.ts';
import { noFormView } from '../views/compose.ts';
import type { SlackMessage } from '../views/message.ts';
import { jobAtAnotherView, jobForgottenView, notReadView } from '../views/private-answers.ts';
import { isRefusal, SlackCallError } from '../workspace/caller.ts';
import type { Interaction, ListenerDeps } from './listener.ts';

/** Slack waits three seconds; `answer` leaves some of them to the network. */
const withinMs = {
  answer: 2_600,
  store: 2_300,
  form: 2_000,
  list: 1_800,
  thread: 1_500,
  report: 1_500,
  admission: 1_000,
  names: 1_000,
  agent: 700,
  formDetail: 500,
} as const;

type Timed = Pick<ListenerDeps, 'clock'>;

const deadline = new AsyncLocalStorage<number>();

/** For all `inTime` calls inside. */
export function withDeadline<T>({ clock }: Timed, work: () => Promise<T>): Promise<T> {
  return deadline.run(clock.now() + withinMs.answer, work);
}

export function inTime<T>(
  { clock }: Timed,
  awaitedFor: keyof typeof withinMs,
  awaited: Promise<T>,
  late: T,
): Promise<T> {
  const leftMs = (deadline.getStore() ?? Number.POSITIVE_INFINITY) - clock.now();
  return clock.timeout(Math.min(withinMs[awaitedFor], leftMs), awaited, late);
}

export async function readInTime<T>(deps: ListenerDeps, read: () => Promise<T>): Promise<T | SlackMessage> {
  try {
    return await inTime<T | SlackMessage>(deps, 'list', read(), notReadView);
  } catch (error) {
    deps.log.error('not_shown', { error });
    return notReadView;
  }
}

export function namesIn(deps: ListenerDeps, texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return namesOf(deps, mentionedIds(texts.join('\n')));
}

export function namesOf(
  deps: ListenerDeps,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  return inTime(deps, 'names', deps.names.named(userIds), new Map());
}

/** Ends a request. The person gets `answer`, in a form at `field`. */
export class Refused extends Error {
  readonly answer: SlackMessage;
  readonly field: string | undefined;

  constructor(answer: SlackMessage, field?: string) {
    super('refused');
    this.answer = answer;
    this.field = field;
  }
}

export function refusedIn(error: unknown): Refused {
  if (error instanceof Refused) return error;
  throw error;
}

/** The view's id; null: not opened in time. */
export function openForm(deps: ListenerDeps, triggerId: string, view: ModalView): Promise<string | null> {
  const opened = deps.poster.openModal(triggerId, view).catch((error: unknown) => {
    if (!(error instanceof SlackCallError)) throw error;
    deps.log.warn('form_not_opened', { form: view.callback_id, reason: error.failure.code });
    return null;
  });
  return inTime(deps, 'form', opened, null);
}

/** Null: the form is open. */
export async function openOrTell(
  deps: ListenerDeps,
  { triggerId }: Pick<Interaction, 'triggerId'>,
  view: ModalView,
  otherwise = noFormView,
): Promise<SlackMessage | null> {
  return (await openForm(deps, triggerId, view)) === null ? otherwise : null;
}

/**
 * For what may take longer than Slack waits. Null: the form is open.
 * @param problemOf what the form shows if `viewOf` fails, or Slack does not accept its view
 */
export async function openThenFill(
  deps: ListenerDeps,
  { triggerId }: Pick<Interaction, 'triggerId'>,
  first: ModalView,
  viewOf: () => Promise<ModalView>,
  problemOf: (error: unknown) => ModalView,
): Promise<SlackMessage | null> {
  const viewId = await openForm(deps, triggerId, first);
  if (viewId === null) return noFormView;
  const view = await viewOf().catch(problemOf);
  await deps.poster.updateModal(viewId, view).catch(async (error: unknown) => {
    const notShown = problemOf(error);
    const isRefused = error instanceof SlackCallError && isRefusal(error.failure);
    // Unless Slack refused the update, the person may be filling in the form.
    await deps.poster.updateModal(viewId, isRefused ? notShown : view).catch(() => {});
  });
  return null;
}

export function linkTo(
  { workspaceUrl }: ListenerDeps,
  job: Pick<Job, 'channelId' | 'threadTs'> | null,
): string | null {
  return job && threadLink(workspaceUrl, job.channelId, job.threadTs);
}

export function promptMaxOf({ newContext }: ListenerDeps): number {
  return newContext().policy.promptMaxLength;
}

export async function tooLate(deps: ListenerDeps, job: Job, press: JobEvent): Promise<SlackMessage> {
  const outcome = outcomeOfOffer(job, press, deps.newContext().features.decisions);
  const by = outcome?.by ?? endedByOf(job);
  const names = await namesOf(deps, by === null ? [] : [by]);
  return tooLateView(job, outcome, { names, sites: sitesOf(deps), features: deps.featureViews });
}

/** @param postedTs of the message with the button */
export async function unknownJobAnswer(deps: ListenerDeps, postedTs?: string): Promise<SlackMessage> {
  const sinceMs = postedTs === undefined ? 0 : Number(postedTs) * 1000 + CLOCK_SKEW_MS;
  return (await deps.isSharedSince(sinceMs)) ? jobAtAnotherView : jobForgottenView;
}
