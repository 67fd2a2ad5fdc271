import { type AnyJobContext, applyEvent } from '#engine/apply-event.ts';
import { announces } from '#jobs/agent-job.ts';
import {
  ASKED_BEFORE_MS,
  type JobRequest,
  type Manner,
  openQuestion,
  requestJob,
} from '#jobs/decide/open.ts';
import { type Job, startPromptOf } from '#jobs/job.ts';
import { channelSettingsOf, defaultProject } from '#jobs/policy.ts';
import { noAttachments } from '#jobs/requests/attachments.ts';
import { isBlank, judgePrompt, type Project, parseProjectPrefix } from '#jobs/requests/command.ts';
import { isDoubtful } from '#jobs/requests/intent.ts';
import type { Transaction } from '#store/store.ts';
import { attachmentsIn, fitAttachments } from '../messages/attachments.ts';
import { saidIn, threadOf } from '../messages/message-event.ts';
import { type ComposeTarget, composeTargetData, decode, formIds } from '../protocol/ids.ts';
import { readableText } from '../protocol/slack-text.ts';
import { composeView, notBothView, promptAbout, type StartQuestion } from '../views/compose.ts';
import { noChannelView, type Refusal, refusalAtField, refusalView } from '../views/private-answers.ts';
import { admissionProblem } from './admission.ts';
import { noteRefusal, noteRequest } from './connection/requests.ts';
import { inTime, linkTo, openOrTell, promptMaxOf, Refused } from './interaction.ts';
import {
  type Interaction,
  type InteractionListener,
  type ListenerDeps,
  namesOnMenu,
  type Press,
  type Presses,
  type Shortcut,
  type SlashCommand,
  type Submission,
  type Submissions,
} from './listener.ts';
import { storeRequest } from './once.ts';

type RawRequest = Omit<JobRequest, 'projectId' | 'projectName' | 'prompt'> &
  Readonly<{
    /** Sanitized; may begin with `project=name` or `--`. */
    text: string;
    /** Chosen outside the text. Null: the one that the text names, or the channel's. */
    project?: Project | null;
    /** People also type commands there: a doubtful text gets a question. */
    mayBeMistypedCommand?: boolean;
  }>;

type PersonsRequest = Pick<RawRequest, 'channelId' | 'origin' | 'text'> & Partial<RawRequest>;

/** Null: the card is the answer. */
export async function startFrom(
  deps: ListenerDeps,
  made: Pick<Interaction, 'userId' | 'keys' | 'responseUrl'>,
  request: PersonsRequest,
): Promise<StartQuestion | null> {
  const { userId: requesterId, keys, responseUrl } = made;
  const raw = { teamId: deps.teamId, requesterId, responseUrl, thread: null, ...request };
  const isForm = 'values' in made;
  const outcome = await storeRequest(
    deps,
    () => startJob(deps, raw, keys, isForm ? 'never' : 'in_answer'),
    () => admissionProblem(deps, requesterId, request.channelId),
  );
  if (outcome === null || 'job' in outcome) return outcome;
  const field = outcome.kind === 'two_projects' ? formIds.project : undefined;
  throw new Refused(isForm ? refusalAtField(outcome) : refusalView(outcome), field);
}

export async function startFromForm(
  deps: ListenerDeps,
  form: Submission,
  request: Omit<PersonsRequest, 'text' | 'project'> & Pick<RawRequest, 'responseUrl'>,
): Promise<null> {
  const { text, projectId } = form.values;
  const project = deps.projects.find(({ id }) => id === projectId) ?? null;
  await startFrom(deps, form, { ...request, text, project });
  return null;
}

/** Null: stored, perhaps by an earlier delivery. @param asks whether the same request again is meant */
export async function startJob(
  deps: ListenerDeps,
  raw: RawRequest,
  keys: readonly string[],
  asks: 'in_answer' | 'in_message' | 'never',
): Promise<Refusal | StartQuestion | null> {
  const { teamId, requesterId } = raw;
  const refuse = (refusal: Refusal) => {
    noteRefusal(deps, requesterId, refusal.kind);
    return refusal;
  };
  const read = await requestOf(deps, raw);
  if ('refusal' in read) return refuse(read.refusal);
  const { request, ...manner } = read;
  const stored = await deps.store.transaction(async (tx) => {
    const context = deps.newContext();
    const { nowMs } = context;
    const { channelId, thread } = request;
    const owner = thread && (await tx.jobs.findByThread(teamId, channelId, thread.threadTs));
    // The keys stay unremembered, so the request can be repeated.
    if (owner !== null && !(await tx.inboundRequests.isKnown(keys))) return 'thread_taken';
    const isNew = await tx.inboundRequests.remember(keys, nowMs);
    const recent = asks === 'never' ? [] : await tx.jobs.requestedBy(raw, nowMs - ASKED_BEFORE_MS);
    if (!isNew) {
      await completeRequest(tx, request, recent, context);
      return { job: openQuestion(request, recent), recent, note: { outcome: 'duplicate' } } as const;
    }
    const isAnswered = asks === 'in_answer';
    const decision = requestJob(request, recent, { isAnswered, ...manner }, context);
    await tx.write(decision, nowMs);
    const { job } = decision;
    return { job, recent, note: { outcome: 'accepted', jobId: job.id } } as const;
  });
  if (stored === 'thread_taken') return refuse({ kind: 'thread_taken' });
  noteRequest(stored.note);
  const { job, recent } = stored;
  if (job?.stage.kind !== 'awaiting_confirmation') return null;
  const { sameAsJobId } = job.stage;
  return { job, sameAs: recent.find(({ id }) => id === sameAsJobId) ?? null };
}

/** Another event of the same message may have contained less. */
async function completeRequest(
  tx: Transaction,
  { teamId, channelId, requesterId: userId, requestTs: messageTs, prompt: text, attachments }: JobRequest,
  recent: readonly Job[],
  context: AnyJobContext,
) {
  if (userId === null || messageTs === undefined || attachments === undefined) return;
  const jobId =
    recent.find((job) => job.requestTs === messageTs)?.id ??
    (await tx.jobs.findByThread(teamId, channelId, messageTs));
  if (jobId === null) return;
  const reply = { messageTs, userId, text, editedTs: null, mentionsBot: true, attachments };
  await applyEvent(tx, jobId, { type: 'message_completed', reply }, context);
}

export async function requestOf(
  deps: ListenerDeps,
  { text, project: chosen = null, mayBeMistypedCommand = false, ...raw }: RawRequest,
): Promise<
  | ({ request: JobRequest } & Omit<Manner, 'isAnswered'>)
  | { refusal: Exclude<Refusal, { kind: 'thread_taken' }> }
> {
  const byDefault = chosen ?? (await projectOf(deps, raw.channelId));
  const { project, unknownProject, prompt, isForced } = parseProjectPrefix(text, deps.projects, byDefault);
  if (unknownProject !== null && (!mayBeMistypedCommand || prompt === '')) return { refusal: unknownProject };
  if (chosen !== null && chosen.id !== project.id) {
    return { refusal: { kind: 'two_projects', named: project.name, chosen: chosen.name } };
  }
  const judge = (slackText: string) => judgePrompt(readableText(slackText), promptMaxOf(deps));
  const own = judge(prompt);
  if (own.kind !== 'ok') return { refusal: own };
  const verdict = judge(startPromptOf({ prompt, context: raw.context ?? '', inlined: '' }));
  if (verdict.kind === 'too_long') {
    return { refusal: { ...verdict, kind: 'too_long_together', mayUntick: true } };
  }
  const isAlone = (raw.attachments?.snippets ?? []).length === 0;
  const answersInWords = () => announces(deps.known.agent(project.id), 'summary');
  return {
    request: { ...raw, projectId: project.id, projectName: project.name, prompt },
    isDoubtful: mayBeMistypedCommand && !isForced && isAlone && isDoubtful(prompt, answersInWords),
    unknownProject,
  };
}

export async function projectOf(
  { projects, store, newContext, teamId }: ListenerDeps,
  channelId: string | null,
): Promise<Project> {
  const [first, ...others] = projects;
  if (channelId === null || others.length === 0) return first;
  const saved = await store.transaction((tx) => tx.channelSettings.get(teamId, channelId));
  const rules = newContext().rulesOf(teamId);
  return defaultProject(projects, channelSettingsOf(rules, channelId, saved));
}

export async function threadTaken(
  tx: Transaction,
  { id, teamId, channelId, stage }: Job,
  userId: string,
): Promise<Refused | null> {
  const { kind } = stage;
  const thread =
    kind === 'awaiting_confirmation' || kind === 'card_failed' || kind === 'draft' ? stage.thread : null;
  const threadTs = thread?.threadTs ?? (kind === 'draft' ? stage.postTs : null);
  const owner = threadTs && (await tx.jobs.findByThread(teamId, channelId, threadTs));
  if (owner === null || owner === id) return null;
  noteRefusal({ teamId }, userId, 'thread_taken');
  return new Refused(refusalView({ kind: 'thread_taken' }));
}

export function compose(deps: ListenerDeps, made: SlashCommand | Press) {
  const { channelId, responseUrl } = made;
  return openCompose(deps, made, { channelId, responseUrl, from: channelId === null ? 'home' : 'form' });
}

export const composePresses = {
  startJob: async (deps, press) => {
    await press.ack();
    return compose(deps, press);
  },
} satisfies Presses;

export const composeSubmissions = {
  compose: async (deps, form) => {
    const target = decode(composeTargetData, form.view.private_metadata);
    const { text, channelId: chosen, recipe } = form.values;
    const responseUrl = target?.responseUrl ?? null;
    if (recipe !== null) {
      if (!isBlank(text)) throw new Refused(notBothView, formIds.recipe);
      for (const { menu } of deps.featureListeners) {
        if (menu !== undefined) return menu.choose(deps, form, { name: recipe, responseUrl });
      }
    }
    const channelId = target?.channelId ?? chosen;
    if (channelId === null) throw new Refused(noChannelView, formIds.channel);
    const attachments = target?.attached ?? noAttachments;
    const origin = { kind: target?.from ?? 'form' } as const;
    return startFromForm(deps, form, { channelId, origin, attachments, responseUrl });
  },
} satisfies Submissions;

/** Of the 3000 characters of a form's metadata. */
const ATTACHMENTS_MAX = 2_000;

export const messageShortcut: InteractionListener<Shortcut> = async (deps, shortcut) => {
  await shortcut.ack();
  const { channelId, message, responseUrl } = shortcut;
  const said = saidIn(message);
  const names = await inTime(deps, 'formDetail', deps.names.of(said), new Map<string, string>());
  const link = linkTo(deps, { channelId, threadTs: message.ts });
  const threadTs = threadOf({ ...message, channel: channelId });
  const inThread =
    threadTs === null ? '' : `?${new URLSearchParams({ thread_ts: threadTs, cid: channelId })}`;
  const attached = fitAttachments(attachmentsIn(message), ATTACHMENTS_MAX);
  const target = { channelId, responseUrl, attached, from: 'shortcut' } as const;
  const quoted = promptAbout(readableText(said, names), link && link + inThread, promptMaxOf(deps));
  return openCompose(deps, shortcut, target, quoted);
};

async function openCompose(
  deps: ListenerDeps,
  made: Interaction,
  target: ComposeTarget,
  quoted: ReturnType<typeof promptAbout> = { prompt: '', isCut: false },
) {
  const { projects, log } = deps;
  const channelsProject = projectOf(deps, target.channelId).catch((error: unknown) => {
    log.warn('project_not_read', { error });
    return projects[0];
  });
  const [project, recipes] = await Promise.all([
    inTime(deps, 'formDetail', channelsProject, projects[0]),
    // A recipe has no use for a quoted message.
    target.from === 'shortcut' ? [] : namesOnMenu(deps, made.userId),
  ]);
  const promptMaxLength = promptMaxOf(deps);
  const view = composeView({ ...quoted, target, recipes, projects, project, promptMaxLength });
  return openOrTell(deps, made, view);
}
