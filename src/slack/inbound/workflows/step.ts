import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { requestDraft } from '../../../jobs/decide/start/drafts.ts';
import { type JobRequest, openJob } from '../../../jobs/decide/start/open.ts';
import { approversIn } from '../../../jobs/policy.ts';
import { projectCalled } from '../../../jobs/requests/project.ts';
import { STEP_ID } from '../../protocol/ids.ts';
import { type StepRefusal, stepRefusalText } from '../../views/step-error.ts';
import { completeStep } from '../../workspace/steps.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import { noteRefusal, noteRequest } from '../connection/request-log.ts';
import type { ListenerDeps } from '../deps.ts';
import { projectOf, requestOf } from '../requests/start-job.ts';
import { personIn, readStepInputs, type StepInputs } from './step-inputs.ts';

type Args = SlackEventMiddlewareArgs<'function_executed'> & AllMiddlewareArgs;

/** So long Slack takes the token that comes with a step. */
const TOKEN_LIFE_MS = 15 * 60_000;

/** One run of the step in a workflow. */
interface Execution {
  readonly id: string;
  readonly token: string | null;
  /** All names under which Slack may deliver it again. */
  readonly keys: readonly string[];
}

/**
 * A workflow has come to its step "Ask docs-agent". What is wrong with it is said to the workflow before the event is
 * acknowledged: if that fails, Slack delivers the event again.
 */
export function stepReached(deps: ListenerDeps) {
  return async ({ event, body }: Args): Promise<void> => {
    if (event.function.callback_id !== STEP_ID) return;
    const { teamId, store } = deps;
    const execution: Execution = {
      id: event.function_execution_id,
      token: event.bot_access_token ?? null,
      keys: [
        `function:${teamId}:${event.function_execution_id}`,
        ...(body.event_id === undefined ? [] : [`event:${teamId}:${body.event_id}`]),
      ],
    };
    if (await store.transaction((tx) => tx.inboundRequests.isKnown(execution.keys))) {
      return noteRequest({ outcome: 'duplicate' });
    }
    const given = event.inputs ?? {};
    const asked = await askedIn(deps, given, execution.id);
    if (!('kind' in asked)) return start(deps, execution, asked);
    noteRefusal(deps, personIn(given), reasonOf(asked));
    await refuse(deps, execution, asked);
  };
}

interface Asked {
  readonly request: JobRequest;
  readonly isDraft: boolean;
}

/** What the step asks for; or why it cannot be. */
async function askedIn(
  deps: ListenerDeps,
  given: Readonly<Record<string, unknown>>,
  executionId: string,
): Promise<Asked | StepRefusal> {
  const inputs = readStepInputs(given);
  if ('kind' in inputs) return inputs;
  const { channelId, isDraft, waits } = inputs;
  const refusal = await refusalOf(deps, inputs);
  if (refusal !== null) return refusal;
  const chosen = inputs.project === null ? null : projectCalled(inputs.project, deps.projects);
  if (chosen !== null && 'kind' in chosen) return chosen;
  const raw = {
    keys: [],
    teamId: deps.teamId,
    channelId,
    requesterId: inputs.personId,
    origin: { kind: 'workflow', executionId, waits },
    text: inputs.request,
    project: chosen,
    responseUrl: null,
    thread: null,
    isAnswered: false,
    mayBeSlip: false,
  } as const;
  const read = requestOf(deps, raw, chosen ?? (await projectOf(deps, channelId)));
  return 'refusal' in read ? read.refusal : { request: read.request, isDraft };
}

/** Why this person, or a workflow that nobody started, may not ask in that channel; null: they may. */
async function refusalOf(
  { access, log }: ListenerDeps,
  { personId, channelId }: StepInputs,
): Promise<StepRefusal | null> {
  if (personId === null) {
    if (access.admitsWorkflows(channelId)) return null;
    log.info('access_refused', { channel_id: channelId, reason: 'workflow' });
    return { kind: 'not_allowed', person: null };
  }
  const reason = await access.refusalOfWriter(personId, channelId);
  if (reason === null) return null;
  log.info('access_refused', { user_id: personId, channel_id: channelId, reason });
  return { kind: 'not_allowed', person: reason === 'nobody' ? 'unknown_person' : reason };
}

/** Stores the job, once, with the token that its step may be completed with for a while. */
async function start(
  deps: ListenerDeps,
  { keys, token }: Execution,
  { request, isDraft }: Asked,
): Promise<void> {
  const jobId = await deps.store.transaction(async (tx) => {
    const context = deps.newContext();
    const { nowMs } = context;
    if (!(await tx.inboundRequests.remember(keys, nowMs))) return null;
    const approvers = approversIn(context.rulesOf(deps.teamId), request.channelId);
    const decision = isDraft ? requestDraft(request, { approvers }, context) : openJob(request, context);
    await tx.write(decision, nowMs);
    const { id } = decision.job;
    if (token !== null) {
      const runAtMs = nowMs + TOKEN_LIFE_MS;
      await tx.stepTokens.keep(id, token, runAtMs);
      await tx.tasks.schedule({ kind: 'forget_step_token', subject: id, runAtMs, ifScheduled: 'replace' });
    }
    return id;
  });
  noteRequest(jobId === null ? { outcome: 'duplicate' } : { outcome: 'accepted', jobId });
}

/** Where nobody started the workflow, it is the channel that is not among those of `workflows`. */
function reasonOf(why: StepRefusal): string {
  return why.kind === 'not_allowed' ? (why.person ?? 'channel') : why.kind;
}

/** Ends the step with an error that its workflow's author understands. */
async function refuse(
  { poster, log }: ListenerDeps,
  { id, token }: Execution,
  why: StepRefusal,
): Promise<void> {
  try {
    await completeStep(poster, { kind: 'error', executionId: id, error: stepRefusalText(why) }, token);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    const { code: reason, outcome, needsAdmin } = error.failure;
    log.error('step_completed', { outcome, reason });
    if (outcome !== 'refused' && !needsAdmin) throw error;
  }
}
