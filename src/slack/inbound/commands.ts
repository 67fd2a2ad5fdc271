import { sitesOf } from '#engine/apply-event.ts';
import { announces } from '#jobs/agent-job.ts';
import { openJob } from '#jobs/decide/open.ts';
import { turnsOf } from '#jobs/follow-ups/turns.ts';
import type { Job, JobCursor, Viewer } from '#jobs/job.ts';
import { channelSettingsOf } from '#jobs/policy.ts';
import { projectCalled } from '#jobs/requests/command.ts';
import { type Intent, intentOf } from '#jobs/requests/intent.ts';
import type { Transaction } from '#store/store.ts';
import { jobReference } from '../protocol/ids.ts';
import { escapeMrkdwn, readableText, sanitize } from '../protocol/slack-text.ts';
import { decodeButton } from '../views/buttons.ts';
import { questionView } from '../views/compose.ts';
import { plainModal } from '../views/form.ts';
import { type AgentPause, doctorView } from '../views/home.ts';
import type { SlackMessage } from '../views/message.ts';
import {
  jobAtAnotherView,
  noJobIdView,
  noSuchAgentJobView,
  type RunningJob,
  refusalView,
  runningJobView,
  watchedAlreadyView,
  watchedUnseenView,
} from '../views/private-answers.ts';
import {
  allHelpModal,
  decodePage,
  detailsModal,
  detailsView,
  helpView,
  JOBS_PER_PAGE,
  listView,
  noJobYetView,
  noSuchJobView,
  statusView,
} from '../views/status.ts';
import { allWordsView } from '../views/turn-ended.ts';
import { noticeChannelsOf } from '../workspace/inspection.ts';
import { isTargetValid, requireAdmin } from './admission.ts';
import { noteRefusal } from './connection/requests.ts';
import { settings } from './forms/settings.ts';
import {
  inTime,
  linkTo,
  namesIn,
  openForm,
  openOrTell,
  readInTime,
  refusedIn,
  unknownJobAnswer,
} from './interaction.ts';
import {
  type CommandListener,
  type CommandListeners,
  type InteractionListener,
  type ListenerDeps,
  namesOnMenu,
  type Press,
  type Presses,
  type SlashCommand,
} from './listener.ts';
import { storeRequest } from './once.ts';
import { compose, projectOf, startFrom } from './start-job.ts';

export const answerCommand: InteractionListener<SlashCommand> = async (deps, made) => {
  const text = sanitize(made.text);
  const intent = intentOf(text);
  if (intent.kind === 'request') return start(deps, made, text.trim());
  const typed = typedCommand(deps, intent);
  if (typed !== undefined) return typed(deps, made, intent);
  if (intent.kind === 'compose') return compose(deps, made);
  return (await answerInWords(deps, viewerOf(deps, made), intent)) ?? start(deps, made, text.trim());
};

/** Messages do not run these. */
export function typedCommand(deps: ListenerDeps, { kind }: Intent): CommandListener | undefined {
  const all: readonly CommandListeners[] = [
    { settings, watch },
    ...deps.featureListeners.map(({ commands }) => commands?.(deps) ?? {}),
  ];
  return all.map((commands) => commands[kind]).find(Boolean) as CommandListener | undefined;
}

async function start(deps: ListenerDeps, command: SlashCommand, text: string) {
  const { channelId } = command;
  const request = { channelId, origin: { kind: 'command' }, text, mayBeMistypedCommand: true } as const;
  const question = await startFrom(deps, command, request);
  if (question === null) return null;
  return questionView(question, linkTo(deps, question.sameAs), canStop(deps, question.job));
}

/** The Home tab and its modals have no channel: they show only the person's own jobs. */
export function viewerOf(
  { teamId }: ListenerDeps,
  { userId, channelId }: Pick<Press, 'userId' | 'channelId'>,
): Viewer {
  return { teamId, userId, channelId: channelId ?? '' };
}

function canStop({ known }: ListenerDeps, { projectId }: Pick<Job, 'projectId'>) {
  return announces(known.agent(projectId), 'cancel');
}

/** Null: the words are a request, or need a question. */
export async function answerInWords(
  deps: ListenerDeps,
  viewer: Viewer,
  intent: Intent,
): Promise<SlackMessage | null> {
  for (const { answers } of deps.featureListeners) {
    const answer = answers?.[intent.kind];
    if (answer !== undefined) return answer(deps, viewer.userId);
  }
  switch (intent.kind) {
    case 'stop':
    case 'progress': {
      const about = intent.kind;
      return readInTime(deps, async () =>
        runningJobView(await running(deps, viewer), about, deps.clock.now()),
      );
    }
    case 'doctor':
      return doctorAnswer(deps, viewer).catch((error) => refusedIn(error).answer);
    case 'help':
    case 'small_talk':
    // Without a form, as in a message.
    case 'compose':
      return helpAnswer(deps, viewer.userId);
    case 'list':
    case 'details':
      return listAnswer(deps, viewer, null);
    case 'status':
      return (await statusAnswer(deps, viewer, intent.id)) ?? noSuchJobView;
    case 'no_such_job':
      return statusAnswer(deps, viewer, intent.word);
    default:
      return null;
  }
}

async function running(deps: ListenerDeps, { teamId, userId }: Viewer): Promise<RunningJob | null> {
  const [job] = await deps.store.transaction((tx) => tx.lists.newestOf(teamId, userId, 'open', 1));
  if (job === undefined) return null;
  const names = await namesIn(deps, [job.prompt]);
  return { job, permalink: linkTo(deps, job), names, canStop: canStop(deps, job) };
}

async function helpAnswer(deps: ListenerDeps, userId: string) {
  const [recipe = null] = await namesOnMenu(deps, userId);
  return helpView(recipe);
}

async function doctorAnswer(deps: ListenerDeps, { userId, channelId }: Viewer) {
  await requireAdmin(deps, userId, 'see');
  return readInTime(deps, async () => {
    const { known, projects, store, clock, teamId } = deps;
    const rules = deps.newContext().rulesOf(teamId);
    const { channels, reads, calls } = await store.transaction(async (tx) => {
      const saved = await tx.channelSettings.get(teamId, channelId);
      const here = channelSettingsOf(rules, channelId, saved).noticeChannels ?? [];
      return {
        // This channel's first: `selfCheck` asks only about the first few.
        channels: new Set([...here, ...(await noticeChannelsOf(tx, teamId, rules))]),
        reads: await tx.readBudget.paused(clock.now()),
        calls: await tx.budgetQueue.paused(clock.now()),
      };
    });
    const pausesOf = (what: AgentPause['what'], pauses: typeof reads) =>
      pauses.flatMap(({ projectId, untilMs }) => {
        const name = projects.find(({ id }) => id === projectId)?.name;
        return name === undefined ? [] : [{ name, what, untilMs }];
      });
    return doctorView({
      slackProblem: known.slackProblem(),
      slack: await deps.selfCheck.ask([...channels], rules),
      projects: projects.map(({ id, name }) => ({ name, agent: known.agent(id) })),
      services: known.services(),
      pauses: [...pausesOf('reads', reads), ...pausesOf('calls', calls)],
      work: known.workProblems(),
    });
  });
}

/** Null: no such job. @param word null: the latest job */
async function statusAnswer(deps: ListenerDeps, viewer: Viewer, word: string | null) {
  const { teamId, userId } = viewer;
  const latest = async (tx: Transaction) => (await tx.lists.newestOf(teamId, userId, 'all', 1))[0] ?? null;
  const find = word === null ? latest : (tx: Transaction) => jobNamed(tx, viewer, word);
  const found = await foundInFull(deps, viewer, find, statusView);
  return found ?? (word === null ? noJobYetView : null);
}

async function jobNamed(tx: Transaction, viewer: Viewer, word: string) {
  const reference = jobReference(word);
  if (reference.kind === 'id') {
    const jobs = await tx.lists.findByIdentifier(viewer.teamId, reference.id);
    return jobs.find((job) => visible(viewer, job) !== null) ?? null;
  }
  const jobId = await tx.jobs.findByThread(viewer.teamId, reference.channelId, reference.threadTs);
  return visible(viewer, jobId === null ? null : await tx.jobs.get(jobId));
}

/** For counting other programs with the same tokens. */
const COUNTED_WITHIN_MS = 60_000;

export async function jobInFull(
  deps: ListenerDeps,
  viewer: Viewer,
  jobId: string,
  view = detailsView,
): Promise<SlackMessage> {
  const find = async (tx: Transaction) => visible(viewer, await tx.jobs.get(jobId));
  const found = await foundInFull(deps, viewer, find, view);
  if (found !== null) return found;
  const isShared = await deps.isSharedSince(deps.clock.now() - COUNTED_WITHIN_MS);
  return isShared ? jobAtAnotherView : noSuchJobView;
}

function foundInFull(
  deps: ListenerDeps,
  viewer: Viewer,
  find: (tx: Transaction) => Promise<Job | null>,
  view: typeof statusView,
): Promise<SlackMessage | null> {
  return readInTime(deps, async () => {
    const story = await deps.store.transaction(async (tx) => {
      const meant = await find(tx);
      const found = meant && (await tx.jobs.readUnlocked(meant.id));
      if (found === null) return null;
      const { job, followUps: unsent } = found;
      const [shown = job] = await tx.readBudget.shown([job], deps.clock.now());
      return { job: shown, turns: turnsOf(await tx.lists.callsOf(job.id)), unsent };
    });
    if (story === null) return null;
    const { job, turns, unsent } = story;
    const texts = [job.prompt, ...[...turns, ...unsent].map(({ text }) => text)];
    return view(story, await shownTo(deps, viewer, texts));
  });
}

async function shownTo(deps: ListenerDeps, viewer: Viewer, texts: readonly string[]) {
  const names = await namesIn(deps, texts);
  return { ...viewer, workspaceUrl: deps.workspaceUrl, names, sites: sitesOf(deps) };
}

/** Others' jobs show only in their channel: a reader elsewhere may lack access to it. */
function visible({ teamId, userId, channelId }: Viewer, job: Job | null) {
  const isVisible = job?.teamId === teamId && (job.requesterId === userId || job.channelId === channelId);
  return isVisible ? job : null;
}

export const commandPresses = {
  showHelp: async (deps, press) => {
    await press.ack();
    return helpAnswer(deps, press.userId);
  },

  showAllHelp: async (deps, press) => {
    await press.ack();
    const mayStop = deps.projects.some(({ id }) => canStop(deps, { projectId: id }));
    const [recipe = null] = await namesOnMenu(deps, press.userId);
    return openOrTell(deps, press, allHelpModal(recipe, mayStop));
  },

  details: async (deps, press) => {
    await press.ack();
    const jobId = decodeButton(press.value)?.jobId;
    if (jobId === undefined) return null;
    const viewer = viewerOf(deps, press);
    const modal = detailsModal((await jobInFull(deps, viewer, jobId)).blocks, viewer.channelId);
    const isOpen = (await openForm(deps, press.triggerId, modal)) !== null;
    return isOpen ? null : jobInFull(deps, viewer, jobId, statusView);
  },

  readAll: async (deps, press) => {
    await press.ack();
    const jobId = decodeButton(press.value)?.jobId;
    if (jobId === undefined) return null;
    const read = () =>
      deps.store.transaction(async (tx) => {
        const job = await tx.jobs.get(jobId);
        if (job?.teamId !== deps.teamId || !isTargetValid(job, {}, press)) return null;
        const posts = await tx.calls.posted(jobId, 'announce');
        const post = posts.find(({ ts }) => ts === press.messageTs)?.request.announcement;
        return post?.kind === 'turn_ended' ? (post.words ?? null) : null;
      });
    const words = await readInTime(deps, read);
    if (words === null) return unknownJobAnswer(deps, press.messageTs);
    if (typeof words === 'object') return words;
    const view = allWordsView(words);
    return openOrTell(deps, press, plainModal('The agent says', view), view);
  },

  older: async (deps, press) => {
    await press.ack();
    if (press.channelId === null) return null;
    return press.replace(await listAnswer(deps, viewerOf(deps, press), decodePage(press.value)));
  },
} satisfies Presses;

function listAnswer(deps: ListenerDeps, viewer: Viewer, before: JobCursor | null): Promise<SlackMessage> {
  return readInTime(deps, async () => {
    const page = await deps.store.transaction(async (tx) => {
      const found = await tx.lists.page(viewer, before, JOBS_PER_PAGE);
      return { ...found, jobs: await tx.readBudget.shown(found.jobs, deps.clock.now()) };
    });
    const prompts = page.jobs.map(({ prompt }) => prompt);
    return listView(page, await shownTo(deps, viewer, prompts));
  });
}

const ID_MAX = 200;
/** In a URL, these would name another path. */
const DOTS = /^\.{1,2}$/;

const watch: CommandListener<'watch'> = async (deps, command, { id, projectName }) => {
  const { userId, channelId, responseUrl, keys } = command;
  const { teamId } = deps;
  const refuse = (reason: string, message: SlackMessage) => {
    noteRefusal(deps, userId, reason);
    return message;
  };
  const named = projectName === null ? null : projectCalled(projectName, deps.projects);
  if (named !== null && 'kind' in named) return refuse(named.kind, refusalView(named));
  const agentJobId = readableText(id);
  if (!isAgentJobId(agentJobId)) return refuse('no_job_id', noJobIdView);
  return storeRequest(deps, async () => {
    const project = named ?? (await projectOf(deps, channelId));
    const isThere = await inTime(deps, 'agent', deps.agentHasJob(project.id, agentJobId), null);
    if (isThere === false) return refuse('no_such_job', noSuchAgentJobView(agentJobId, project.name));
    const watcher = await deps.store.transaction(async (tx) => {
      const context = deps.newContext();
      if (await tx.inboundRequests.isKnown(keys)) return null;
      // The keys stay unremembered, so a retry gives the same answer.
      const found = (await tx.jobs.ofAgentJob(teamId, project.id, agentJobId)).find(isWatching);
      if (found !== undefined) return found;
      if (!(await tx.inboundRequests.remember(keys, context.nowMs))) return null;
      const request = {
        teamId,
        channelId,
        requesterId: userId,
        origin: { kind: 'command' },
        projectId: project.id,
        projectName: project.name,
        prompt: escapeMrkdwn(`Agent job ${agentJobId}`),
        responseUrl,
        thread: null,
        watchedAgentJobId: agentJobId,
      } as const;
      await tx.write(openJob(request, context), context.nowMs);
      return null;
    });
    if (watcher !== null) return refuse('watched_already', watchedAlreadyView(linkTo(deps, watcher)));
    return isThere === null ? watchedUnseenView : null;
  });
};

export function isAgentJobId(word: string): boolean {
  return word !== '' && word.length <= ID_MAX && !DOTS.test(word);
}

export function isWatching({ stage }: Job): boolean {
  return stage.kind !== 'card_failed' && !(stage.kind === 'ended' && stage.status === 'vanished');
}
