import type { AllMiddlewareArgs, SlackEventMiddlewareArgs } from '@slack/bolt';
import { z } from 'zod';
import { requestDraft } from '../../../jobs/decide/start/drafts.ts';
import { type JobRequest, openJob } from '../../../jobs/decide/start/open.ts';
import { approversIn } from '../../../jobs/policy.ts';
import { projectCalled } from '../../../jobs/requests/project.ts';
import { STEP_ID } from '../../protocol/ids.ts';
import { sanitize } from '../../protocol/slack-text.ts';
import { type StepRefusal, stepRefusalText } from '../../views/step-error.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import { noteRequest, type RequestNote } from '../connection/request-log.ts';
import type { ListenerDeps } from '../listener.ts';
import { projectOf, requestOf } from '../requests/start-job.ts';

type Args = SlackEventMiddlewareArgs<'function_executed'> & AllMiddlewareArgs;

/** How long Slack accepts the token that came with the step. */
const TOKEN_LIFE_MS = 15 * 60_000;

/** Instead of a refusal: the step has its job. */
const STARTED = '';

interface Execution {
  readonly id: string;
  readonly token: string | null;
  readonly keys: readonly string[];
}

/**
 * A workflow reached its step "Ask docs-agent". The workflow is told of a problem before the event is
 * acknowledged: if that fails, Slack redelivers the event.
 */
export async function stepReached(deps: ListenerDeps, { event, body }: Args): Promise<void> {
  if (event.function.callback_id !== STEP_ID) return;
  const { teamId, store } = deps;
  const { function_execution_id: id, inputs: given = {}, bot_access_token: token = null } = event;
  const ofEvent = body.event_id === undefined ? [] : [`event:${teamId}:${body.event_id}`];
  const execution = { id, token, keys: [`function:${teamId}:${id}`, ...ofEvent] };
  if (await store.transaction((tx) => tx.inboundRequests.isKnown(execution.keys))) {
    return noteRequest({ outcome: 'duplicate' });
  }
  const asked = await askedIn(deps, given, id);
  // Whatever else is wrong with the inputs.
  const personId = fields.shape.person.safeParse(given.person ?? null).data?.id ?? null;
  const error = await storeAnswer(deps, execution, asked, personId);
  if (error !== STARTED) await endWith(deps, execution, error);
}

interface Asked {
  readonly request: JobRequest;
  readonly isDraft: boolean;
}

async function askedIn(
  deps: ListenerDeps,
  given: Readonly<Record<string, unknown>>,
  executionId: string,
): Promise<Asked | StepRefusal> {
  const inputs = readStepInputs(given);
  if ('kind' in inputs) return inputs;
  const { channelId, personId, isDraft, waits } = inputs;
  const { access, log } = deps;
  if (personId === null) {
    // Nobody started the workflow.
    if (!(await access.admitsWorkflows(channelId))) {
      log.info('access_refused', { channel_id: channelId, reason: 'workflow' });
      return { kind: 'not_allowed', person: null };
    }
  } else {
    const reason = await access.refusal(personId, channelId);
    if (reason !== null) {
      log.info('access_refused', { user_id: personId, channel_id: channelId, reason });
      return { kind: 'not_allowed', person: reason };
    }
  }
  const chosen = inputs.project === null ? null : projectCalled(inputs.project, deps.projects);
  if (chosen !== null && 'kind' in chosen) return chosen;
  const raw = {
    teamId: deps.teamId,
    channelId,
    requesterId: personId,
    origin: { kind: 'workflow', executionId, waits },
    text: inputs.request,
    project: chosen,
    responseUrl: null,
    thread: null,
    mayBeSlip: false,
  } as const;
  const read = requestOf(deps, raw, chosen ?? (await projectOf(deps, channelId)));
  return 'refusal' in read ? read.refusal : { request: read.request, isDraft };
}

/**
 * Stores the job, once, with the token that completes its step; or why there is none. Returns the error to end
 * the step with: that of the first refusal, which remains the answer.
 */
async function storeAnswer(
  deps: ListenerDeps,
  { id: executionId, keys, token }: Execution,
  asked: Asked | StepRefusal,
  personId: string | null,
): Promise<string> {
  const { teamId } = deps;
  const answerKey = `step:${teamId}:${executionId}`;
  const { error, note } = await deps.store.transaction(
    async (tx): Promise<{ readonly error: string; readonly note: RequestNote }> => {
      const context = deps.newContext();
      const { nowMs } = context;
      const known = await tx.hookAnswers.claim(answerKey, nowMs);
      if ('kind' in asked) {
        if (known !== null) return { error: known, note: { outcome: 'duplicate' } };
        const text = stepRefusalText(asked);
        await tx.hookAnswers.put(answerKey, text);
        // If nobody started the workflow, its channel is missing from `workflows`.
        const reason = asked.kind === 'not_allowed' ? (asked.person ?? 'channel') : asked.kind;
        const refusal = { teamId, userId: personId, reason };
        return { error: text, note: { outcome: 'refused', refusal } };
      }
      const error = known ?? STARTED;
      const isNew = error === STARTED && (await tx.inboundRequests.remember(keys, nowMs));
      if (!isNew) return { error, note: { outcome: 'duplicate' } };
      const { request, isDraft } = asked;
      const approvers = approversIn(context.rulesOf(teamId), request.channelId);
      const decision = isDraft ? requestDraft(request, { approvers }, context) : openJob(request, context);
      await tx.write(decision, nowMs);
      const { id } = decision.job;
      if (token !== null) {
        const runAtMs = nowMs + TOKEN_LIFE_MS;
        await tx.stepTokens.keep(id, token, runAtMs);
        await tx.tasks.schedule({ kind: 'forget_step_token', subject: id, runAtMs, ifScheduled: 'replace' });
      }
      return { error, note: { outcome: 'accepted', jobId: id } };
    },
  );
  noteRequest(note);
  return error;
}

/**
 * Ends the step with an error that the workflow's author understands. Each delivery tries until Slack takes
 * it.
 */
async function endWith(
  { store, clock, poster, log }: ListenerDeps,
  { id, token, keys }: Execution,
  error: string,
): Promise<void> {
  try {
    await poster.completeStep({ kind: 'error', executionId: id, error }, token);
  } catch (thrown) {
    if (!(thrown instanceof SlackCallError)) throw thrown;
    const { code: reason, outcome, needsAdmin } = thrown.failure;
    log.error('step_completed', { outcome, reason });
    if (outcome !== 'refused' && !needsAdmin) throw thrown;
  }
  await store.transaction((tx) => tx.inboundRequests.remember(keys, clock.now()));
}

/** Slack does not document how it delivers empty inputs. */
const missing = z.union([z.null(), z.literal('')]).transform(() => null);
const flag = z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]);

const fields = z.object({
  channel: z.string().regex(/^[CGD][A-Z0-9]{2,254}$/),
  project: z.union([missing, z.string()]),
  // Not a plain id: the author could write anybody's, and this says who acted.
  person: z.union([missing, z.looseObject({ id: z.string().regex(/^[UW][A-Z0-9]{2,254}$/) })]),
  draft: z.union([missing, flag]),
  wait: z.union([missing, flag]),
});

/** Filled in by the workflow's author. */
interface StepInputs {
  readonly request: string;
  readonly channelId: string;
  /** A name; null: the channel's. */
  readonly project: string | null;
  /** Who started the workflow, according to Slack; null: nobody. */
  readonly personId: string | null;
  readonly isDraft: boolean;
  readonly waits: boolean;
}

/** Reads a step's inputs, or says which cannot be read. */
function readStepInputs(given: Readonly<Record<string, unknown>>): StepInputs | StepRefusal {
  const { request = null, channel = null, project = null, person = null, draft = null, wait = null } = given;
  if (request !== null && typeof request !== 'string') return { kind: 'not_readable', input: 'request' };
  if (request === null || request.trim() === '') return { kind: 'empty' };
  if (channel === null || channel === '') return { kind: 'no_channel' };
  const { data, error } = fields.safeParse({ channel, project, person, draft, wait });
  if (data === undefined) {
    return { kind: 'not_readable', input: String(error.issues[0]?.path[0] ?? 'request') };
  }
  return {
    request: sanitize(request),
    channelId: data.channel,
    project: data.project?.trim() || null,
    personId: data.person?.id ?? null,
    isDraft: data.draft ?? false,
    waits: data.wait ?? false,
  };
}
