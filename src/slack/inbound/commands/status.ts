import { sitesOf } from '../../../engine/apply-event.ts';
import { turnsOf } from '../../../jobs/follow-ups/turns.ts';
import type { Job } from '../../../jobs/job.ts';
import { statusWord } from '../../../jobs/requests/command.ts';
import type { PageStart, Viewer } from '../../../jobs/shown/lists.ts';
import type { Transaction } from '../../../store/store.ts';
import { jobReference } from '../../protocol/links.ts';
import { decodePage, JOBS_PER_PAGE, listView } from '../../views/list.ts';
import { decodeButton } from '../../views/parts/buttons.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import {
  detailsModal,
  detailsView,
  type JobStory,
  noJobYetView,
  noSuchJobView,
  statusView,
} from '../../views/status.ts';
import { jobAtAnotherView } from '../../views/thread/settled.ts';
import { bestEffort, type ListenerDeps, type Press } from '../listener.ts';
import { namesIn, openForm, show } from '../requests/door.ts';

/**
 * `status [job]`. Null: no job has that name, so the word may belong to a request.
 * @param word names the job; null: the person's latest
 */
export async function statusAnswer(
  deps: ListenerDeps,
  sight: Viewer,
  word: string | null,
): Promise<SlackMessage | null> {
  const { teamId, userId } = sight;
  const find = async (tx: Transaction) =>
    word === null ? ((await tx.lists.newestOf(teamId, userId, 'all', 1))[0] ?? null) : named(tx, sight, word);
  const found = await foundInFull(deps, sight, find, statusView);
  if (found !== null || word === null) return found ?? noJobYetView;
  return statusWord(`status ${word}`) === null ? noSuchJobView : null;
}

async function named(tx: Transaction, sight: Viewer, word: string): Promise<Job | null> {
  const reference = jobReference(word);
  if (reference.kind === 'id') {
    const meant = await tx.lists.meant(sight.teamId, reference.id);
    return meant.find((job) => visible(sight, job) !== null) ?? null;
  }
  const jobId = await tx.jobs.findByThread(sight.teamId, reference.channelId, reference.threadTs);
  return visible(sight, jobId === null ? null : await tx.jobs.get(jobId));
}

/** The home tab and modals over it belong to no channel, so they show only the person's own jobs. */
export const NO_CHANNEL = '';

/** An unknown job may belong to another program with the same tokens: looked up at most this often. */
const COUNTED_WITHIN_MS = 60_000;

/** Everything known about a job, for people who may see it there; otherwise why it is not shown. */
export async function jobInFull(
  deps: ListenerDeps,
  sight: Viewer,
  jobId: string,
  view = detailsView,
): Promise<SlackMessage> {
  const find = async (tx: Transaction) => visible(sight, await tx.jobs.get(jobId));
  const found = await foundInFull(deps, sight, find, view);
  if (found !== null) return found;
  const isShared = await deps.isSharedSince(deps.clock.now() - COUNTED_WITHIN_MS);
  return isShared ? jobAtAnotherView : noSuchJobView;
}

function foundInFull(
  deps: ListenerDeps,
  sight: Viewer,
  find: (tx: Transaction) => Promise<Job | null>,
  view: typeof statusView,
): Promise<SlackMessage | null> {
  return show(deps, async () => {
    const story = await deps.store.transaction(async (tx): Promise<JobStory | null> => {
      const job = await find(tx);
      if (job === null) return null;
      const turns = turnsOf(await tx.lists.callsOf(job.id));
      const checked = await tx.checks.withLastCheck(job);
      const [shown = checked] = await tx.readBudget.shown([checked], deps.clock.now());
      return { job: shown, turns, unsent: await tx.lists.unsentOf(job.id) };
    });
    if (story === null) return null;
    const { job, turns, unsent } = story;
    const names = await namesIn(deps, [job.prompt, ...[...turns, ...unsent].map(({ text }) => text)]);
    return view(story, { ...sight, workspaceUrl: deps.workspaceUrl, names, sites: sitesOf(deps) });
  });
}

/** Others' jobs are shown only in their channel: elsewhere, the reader may lack access to it. */
function visible({ teamId, userId, channelId }: Viewer, job: Job | null): Job | null {
  if (job === null || job.teamId !== teamId) return null;
  return job.requesterId === userId || job.channelId === channelId ? job : null;
}

/** *Details*: one job in full, in a modal, or in a private message if Slack does not open it. */
export async function showJob(deps: ListenerDeps, press: Press): Promise<void> {
  await press.ack();
  const { userId } = press;
  const channelId = press.channelId || NO_CHANNEL;
  const target = decodeButton(press.value);
  if (target === null) return;
  const sight = { teamId: deps.teamId, userId, channelId };
  const modal = detailsModal((await jobInFull(deps, sight, target.jobId)).blocks, channelId);
  if ((await openForm(deps, press.triggerId, modal)) !== null) return;
  const message = await jobInFull(deps, sight, target.jobId, statusView);
  await (channelId === NO_CHANNEL
    ? bestEffort(deps, deps.poster.respondPrivately(userId, null, message))
    : press.tellBeside(message));
}

export function listAnswer(deps: ListenerDeps, sight: Viewer): Promise<SlackMessage> {
  return show(deps, () => read(deps, sight, null));
}

/** *Newer* and *Older* replace the page. */
export async function turnPage(deps: ListenerDeps, press: Press): Promise<void> {
  await press.ack();
  const { userId, channelId } = press;
  if (channelId === null) return;
  const sight = { teamId: deps.teamId, userId, channelId };
  await press.replace(await show(deps, () => read(deps, sight, decodePage(press.value))));
}

async function read(deps: ListenerDeps, sight: Viewer, start: PageStart): Promise<SlackMessage> {
  const page = await deps.store.transaction(async (tx) => {
    const found = await tx.lists.page(sight, start, JOBS_PER_PAGE);
    return { ...found, jobs: await tx.readBudget.shown(found.jobs, deps.clock.now()) };
  });
  const names = await namesIn(
    deps,
    page.jobs.map(({ prompt }) => prompt),
  );
  return listView(page, { ...sight, workspaceUrl: deps.workspaceUrl, names, sites: sitesOf(deps) });
}
