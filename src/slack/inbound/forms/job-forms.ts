import type { ModalView } from '@slack/types';
import { policyOf } from '#engine/apply-event.ts';
import { isToBeEdited, isToBeFound } from '#jobs/decide/create.ts';
import type { EventOf, JobEvent } from '#jobs/event.ts';
import { promptOf } from '#jobs/follow-ups/follow-up.ts';
import { type Draft, draftedMessageTs, isBeforeJob, type Job, paragraphs, startPromptOf } from '#jobs/job.ts';
import { approversIn } from '#jobs/policy.ts';
import { judgePrompt, unescaped } from '#jobs/requests/command.ts';
import type { Transaction } from '#store/store.ts';
import { attachmentsIn, mergeAttachments } from '../../messages/attachments.ts';
import { type MessageEvent, offeredMessages, replyOf } from '../../messages/message-event.ts';
import { type DecisionForm, decisionData, decode } from '../../protocol/ids.ts';
import { mentionedUserIds, readableText } from '../../protocol/slack-text.ts';
import { draftTooLongView, onlyTheseView } from '../../views/announcement.ts';
import { type ButtonTarget, buttons, decodeButton } from '../../views/buttons.ts';
import {
  agentJobForm,
  draftForm,
  editRequestForm,
  followUpForm,
  resolveForm,
  type ThreadLine,
} from '../../views/compose.ts';
import type { SlackMessage } from '../../views/message.ts';
import {
  agentSilentView,
  noJobIdView,
  noSuchAgentJobView,
  notYourFormView,
  type Refusal,
  refusalAtField,
  refusalView,
} from '../../views/private-answers.ts';
import { labels } from '../../views/text.ts';
import { admissionProblem, isTargetValid, jobOf } from '../admission.ts';
import { isAgentJobId, isWatching } from '../commands.ts';
import { noteRefusal } from '../connection/requests.ts';
import {
  inTime,
  linkTo,
  namesIn,
  namesOf,
  openOrTell,
  openThenFill,
  promptMaxOf,
  Refused,
  readInTime,
  refusedIn,
  tooLate,
  unknownJobAnswer,
} from '../interaction.ts';
import type {
  InteractionListener,
  ListenerDeps,
  Press,
  Presses,
  Submission,
  Submissions,
} from '../listener.ts';
import { applyOnce, storeRequest } from '../once.ts';
import { threadTaken } from '../start-job.ts';
import {
  type Excerpt,
  readThread,
  refuseChanged,
  threadContext,
  timeIn,
  toLines,
  versionId,
} from './thread.ts';

const draftPressed = formPressed(async (deps, job, data) => {
  const draft = openDraft(job, data.draft);
  if (draft === null) throw new Refused(await tooLate(deps, job, startedBy(data.userId, data.draft)));
  await refuseOthers(deps, job, data.userId);
  const along = await readOffered(deps, job, draft);
  const names = await namesIn(deps, [job.prompt]);
  return draftForm(data, {
    prompt: readableText(job.prompt, names),
    lines: [...toLines(along), ...(await repliesBelow(deps, job.id))],
    promptMaxLength: promptMaxOf(deps),
  });
});

export const jobFormPresses = {
  editAndStart: formPressed(async (deps, job, data) => {
    const { creates = 0, userId } = data;
    if (!isToBeEdited(job, creates)) {
      const press = { type: 'request_edited', creates, prompt: '', userId } as const;
      throw new Refused(await tooLate(deps, job, press));
    }
    const names = await namesIn(deps, [job.prompt]);
    return editRequestForm(data, readableText(job.prompt, names), promptMaxOf(deps));
  }),

  watchAgentJob: unclearStartPressed(async (_deps, _job, data) => agentJobForm(data)),

  resolveStart: unclearStartPressed(async (deps, job, data) =>
    resolveForm(data, job, await namesIn(deps, [job.prompt])),
  ),

  followUp: formPressed(async (deps, _job, data) => followUpForm(data, promptMaxOf(deps))),

  editDraft: draftPressed,
  chooseForDraft: draftPressed,
} satisfies Presses;

function unclearStartPressed(formOf: FormOf) {
  return formPressed(async (deps, job, data) => {
    const { callId = '', userId } = data;
    if (isToBeFound(job, callId)) return formOf(deps, job, data);
    const press = { type: 'agent_job_named', callId, agentJobId: '', userId } as const;
    throw new Refused(await tooLate(deps, job, press));
  });
}

export const jobFormSubmissions = {
  followUp: formSubmitted(buttons.followUp.id, async (deps, { userId }, _job, { values: { text } }) => {
    refuseText(deps, text);
    return { type: 'follow_up_written', userId, text };
  }),

  editRequest: formSubmitted(
    buttons.editAndStart.id,
    async (deps, { creates = 0, userId }, job, { values: { text: prompt } }) => {
      refuseText(deps, prompt);
      const whole = judgePrompt(unescaped(startPromptOf({ ...job, prompt })), promptMaxOf(deps));
      if (whole.kind === 'too_long') {
        throw new Refused(refusalView({ ...whole, kind: 'too_long_together', mayUntick: false }));
      }
      return { type: 'request_edited', creates, prompt, userId };
    },
  ),

  agentJob: formSubmitted(
    buttons.watchAgentJob.id,
    async (deps, { callId = '', userId }, job, { values }) => {
      const { agentJobId } = values;
      if (!isAgentJobId(agentJobId)) throw new Refused(noJobIdView);
      const { projectId, projectName } = job;
      const isThere = await inTime(deps, 'agent', deps.agentHasJob(projectId, agentJobId), null);
      if (isThere === null) throw new Refused(agentSilentView);
      if (!isThere) throw new Refused(noSuchAgentJobView(agentJobId, projectName));
      return async (tx) => {
        const jobs = await tx.jobs.ofAgentJob(deps.teamId, projectId, agentJobId);
        const found = jobs.find((one) => one.id !== job.id && isWatching(one));
        if (found === undefined) return { type: 'agent_job_named', callId, agentJobId, userId };
        const other = { number: found.number, threadUrl: linkTo(deps, found) };
        return { type: 'start_dismissed', callId, userId, other };
      };
    },
  ),

  draft: formSubmitted(buttons.editDraft.id, async (deps, { draft: number, userId }, job, { values }) => {
    const draft = openDraft(job, number);
    if (draft === null) return startedBy(userId, number);
    await refuseOthers(deps, job, userId);
    const { text: prompt, ticked, tickable } = values;
    refuseText(deps, prompt);
    const replies = await repliesBelow(deps, job.id);
    const isReply = (ts: string) => replies.some(({ id }) => timeIn(id) === ts);
    const tickedTs = ticked.map(timeIn).sort();
    const messages = tickedTs.filter((ts) => !isReply(ts));
    const along = await readAlong(deps, job, draft, messages);
    const chosen = replies.filter(({ id }) => tickedTs.includes(timeIn(id)));
    refuseChanged([...toLines(along), ...chosen], ticked);
    const said = saidAlong(deps, { ...job, prompt }, draft, along, refusalView);
    const withheld = tickable.map(timeIn).filter((ts) => isReply(ts) && !tickedTs.includes(ts));
    const event = { ...startedBy(userId, number), prompt, ...said, withheld };
    return async (tx) => (await threadTaken(tx, job, userId)) ?? event;
  }),
} satisfies Submissions;

export function refuseText(deps: ListenerDeps, text: string) {
  const verdict = judgePrompt(unescaped(text), promptMaxOf(deps));
  if (verdict.kind !== 'ok') throw new Refused(refusalAtField(verdict));
}

/** `first` shows until `viewOf` is done. */
type SlowForm = Readonly<{
  first: ModalView;
  viewOf: () => Promise<ModalView>;
  problemOf: (error: unknown) => ModalView;
}>;

type FormOf = (deps: ListenerDeps, job: Job, data: DecisionForm) => Promise<ModalView | SlowForm>;

export function formPressed(formOf: FormOf): InteractionListener<Press> {
  return async (deps, press) => {
    await press.ack();
    const target = decodeButton(press.value);
    const job = target && (await readInTime(deps, () => jobOf(deps, target.jobId)));
    if (target === null || job === null) return unknownJobAnswer(deps, press.messageTs);
    if ('blocks' in job) return job;
    if (!isTargetValid(job, {}, press)) return null;
    const { creates, callId, draft, news } = target;
    const made = { jobId: job.id, channelId: job.channelId, userId: press.userId };
    const data = { ...made, creates, callId, draft, news };
    const view = await formOf(deps, job, data);
    if (!('first' in view)) return openOrTell(deps, press, view);
    return openThenFill(deps, press, view.first, view.viewOf, view.problemOf);
  };
}

/** Returns the event, or what decides it inside the transaction. */
type Decide = (
  deps: ListenerDeps,
  made: DecisionForm,
  job: Job,
  form: Submission,
) => Promise<JobEvent | ((tx: Transaction) => Promise<JobEvent | Refused>)>;

export function formSubmitted(button: string, decide: Decide): InteractionListener<Submission> {
  return async (deps, form) => {
    const { userId } = form;
    const made = decode(decisionData, form.view.private_metadata);
    if (made?.userId !== userId) return notYourFormView;
    const job = await jobOf(deps, made.jobId);
    if (job === null) return unknownJobAnswer(deps);
    if (job.channelId !== made.channelId) return notYourFormView;
    const decided = await decide(deps, made, job, form);
    const write = () =>
      deps.store.transaction(async (tx) => {
        const event = typeof decided === 'function' ? await decided(tx) : decided;
        if (event instanceof Refused) return event;
        const after = await applyOnce(tx, deps, form, { button, jobId: job.id, event });
        return after && { ...after, event };
      });
    const after = await storeRequest(deps, write, () => admissionProblem(deps, userId, job.channelId));
    return after === null || after.hasEffect ? null : tooLate(deps, after.job, after.event);
  };
}

const REPLIES_MAX = 50;

export async function prepareStart(
  deps: ListenerDeps,
  { jobId, draft: number }: ButtonTarget,
  event: EventOf<'draft_started'>,
): Promise<JobEvent> {
  const job = await jobOf(deps, jobId);
  const draft = job && openDraft(job, number);
  if (job === null || draft === null) return event;
  await refuseOthers(deps, job, event.userId);
  const along = await readAlong(deps, job, draft, draft.messages);
  const refusalOf = (refusal: Refusal) => draftTooLongView(refusal, job, draft.number);
  return { ...event, ...saidAlong(deps, job, draft, along, refusalOf) };
}

function startedBy(userId: string, draft = 0) {
  return { type: 'draft_started', draft, userId } as const;
}

function openDraft({ stage }: Job, number: number | undefined): Draft | null {
  return stage.kind === 'draft' && stage.number === number ? stage : null;
}

async function refuseOthers(deps: ListenerDeps, { channelId }: Job, userId: string) {
  const approvers = approversIn(deps.newContext().rulesOf(deps.teamId), channelId);
  if (approvers.length === 0 || approvers.includes(userId)) return;
  noteRefusal(deps, userId, 'no_approver');
  throw new Refused(onlyTheseView(approvers, await namesOf(deps, approvers)));
}

const NOTHING: Excerpt = { messages: [], names: new Map(), found: [] };

function readAlong(deps: ListenerDeps, job: Job, draft: Draft, messages: readonly string[]) {
  return readFrom(deps, job, draft, messages[0], (found) => found.filter(({ ts }) => messages.includes(ts)));
}

/** Includes bots' messages, excludes replies to the draft. */
async function readOffered(deps: ListenerDeps, job: Job, draft: Draft) {
  const { thread, messages } = draft;
  const { followUpMode } = await deps.store.transaction(async (tx) => {
    const saved = await tx.channelSettings.get(job.teamId, job.channelId);
    return policyOf({ job, saved }, deps.newContext());
  });
  const isReply = (message: MessageEvent) => {
    const reply = replyOf(message, deps.botUserId)?.reply;
    const isOurs = followUpMode !== 'mentions' || reply?.mentionsBot;
    return reply !== undefined && !isBeforeJob(job, message.ts) && isOurs;
  };
  const offered = await readFrom(deps, job, draft, messages[0] ?? thread?.lastTs, (found) =>
    offeredMessages(found, draftedMessageTs(job.origin) ?? '', deps.botUserId).offered.filter(
      (message) => !isReply(message),
    ),
  ).catch(refusedIn);
  if (!(offered instanceof Refused)) return offered;
  if (messages.length === 0) return NOTHING;
  throw offered;
}

async function readFrom(
  deps: ListenerDeps,
  { channelId }: Job,
  { thread }: Draft,
  fromTs: string | undefined,
  pick: Parameters<typeof readThread>[2],
) {
  if (thread === null || fromTs === undefined) return NOTHING;
  return readThread(deps, { channelId, threadTs: thread.threadTs, fromTs }, (found) =>
    // The root is always included.
    pick(found.filter(({ ts }) => Number(ts) >= Number(fromTs))),
  );
}

async function repliesBelow(deps: ListenerDeps, jobId: string): Promise<ThreadLine[]> {
  const state = await deps.store.transaction((tx) => tx.jobs.readUnlocked(jobId));
  const replies = state?.followUps.filter((one) => one.state === 'waiting').slice(-REPLIES_MAX) ?? [];
  const people = replies.flatMap(({ userId, text }) => [userId, ...mentionedUserIds(text)]);
  const names = await namesOf(deps, [...new Set(people)]);
  return replies.map((reply) => ({
    id: versionId(reply.messageTs, reply.editedTs),
    author: names.get(reply.userId) ?? labels.somebody,
    text: readableText(promptOf(reply), names),
  }));
}

function saidAlong(
  deps: ListenerDeps,
  job: Job,
  { thread }: Draft,
  along: Excerpt,
  refusalOf: (refusal: Refusal) => SlackMessage,
): Pick<EventOf<'draft_started'>, 'said' | 'attachments'> {
  const { messages } = along;
  const { channelId } = job;
  const said = threadContext(deps, along, { channelId, threadTs: thread?.threadTs ?? null });
  const whole = startPromptOf({ ...job, context: paragraphs(job.context, said) });
  const verdict = judgePrompt(readableText(whole), promptMaxOf(deps));
  if (verdict.kind === 'too_long') {
    const together = { ...verdict, kind: 'too_long_together', mayUntick: true } as const;
    throw new Refused(refusalOf(messages.length === 0 ? verdict : together));
  }
  return { said, attachments: mergeAttachments(messages.map(attachmentsIn)) };
}
