import { z } from 'zod';
import { type JobRequest, openJob, requestDraft } from '#jobs/decide/open.ts';
import { approversIn } from '#jobs/policy.ts';
import { projectCalled } from '#jobs/requests/command.ts';
import { noteRequest, type RequestNote } from '#slack/inbound/connection/requests.ts';
import type { EventListener, ListenerDeps } from '#slack/inbound/listener.ts';
import { requestOf } from '#slack/inbound/start-job.ts';
import { STEP_ID } from '#slack/protocol/ids.ts';
import { sanitize } from '#slack/protocol/slack-text.ts';
import { failureIn } from '#slack/workspace/caller.ts';
import { Table } from '#store/queries/table.ts';
import { type StepRefusal, stepRefusalText } from './view.ts';

/** Slack accepts the step's token this long. */
const TOKEN_LIFE_MS = 15 * 60_000;

/** Secrets: valid for minutes, never copied or backed up. */
export class StepTokens extends Table {
  async keep(jobId: string, token: string, untilMs: number): Promise<void> {
    await this.db.insertInto('stepToken').values({ jobId, token, until: untilMs }).execute();
    const kind = 'forget_step_token';
    await this.tasks.schedule({ kind, subject: jobId, runAtMs: untilMs, ifScheduled: 'replace' });
  }

  async get(jobId: string, nowMs: number): Promise<string | null> {
    const row = await this.row('stepToken', { jobId });
    return row !== undefined && row.until > nowMs ? row.token : null;
  }

  async forget(jobId: string): Promise<void> {
    await this.delete('stepToken', { jobId });
  }
}

/** No error: the job exists. */
const STARTED = '';

type Execution = Readonly<{ id: string; token: string | null; keys: readonly string[] }>;

type StepRequest = Readonly<{ request: JobRequest; isDraft: boolean }>;

/** Reports problems before the acknowledgement: if that fails, Slack redelivers the event. */
export const stepReached: EventListener<'function_executed'> = async (deps, { event, body }) => {
  if (event.function.callback_id !== STEP_ID) return;
  const { teamId, store, clock } = deps;
  const { function_execution_id: id, inputs: given = {}, bot_access_token: token = null } = event;
  const ofEvent = body.event_id === undefined ? [] : [`event:${teamId}:${body.event_id}`];
  const keys = [`function:${teamId}:${id}`, ...ofEvent];
  if (await store.transaction((tx) => tx.inboundRequests.isKnown(keys))) {
    return noteRequest({ outcome: 'duplicate' });
  }
  const step = await stepRequestIn(deps, given, id);
  // Checked even if other inputs are wrong.
  const personId = inputs.shape.person.safeParse(given.person).data?.id ?? null;
  const execution = { id, token, keys };
  const { error, note } = await storeOnce(deps, execution, step, personId);
  noteRequest(note);
  if (error === STARTED) return;
  await reportError(deps, execution, error);
  await store.transaction((tx) => tx.inboundRequests.remember(keys, clock.now()));
};

/** Slack does not document how it delivers empty inputs. */
const missing = z
  .literal('')
  .nullish()
  .transform(() => null);
const flag = z.union([
  missing.transform(() => false),
  z.boolean(),
  z.stringbool({ truthy: ['true'], falsy: ['false'] }),
]);

const inputs = z.object({
  request: z.string(),
  channel: z.string().regex(/^[CGD][A-Z0-9]{2,254}$/),
  project: z.union([missing, z.string().transform((name) => name.trim() || null)]),
  // Who started the workflow; null: nobody. The workflow's author could set a plain id to anybody's.
  person: z.union([missing, z.looseObject({ id: z.string().regex(/^[UW][A-Z0-9]{2,254}$/) })]),
  draft: flag,
  wait: flag,
});

async function stepRequestIn(
  deps: ListenerDeps,
  given: Readonly<Record<string, unknown>>,
  executionId: string,
): Promise<StepRequest | StepRefusal> {
  const request = given.request ?? '';
  if (typeof request === 'string') {
    if (request.trim() === '') return { kind: 'empty' };
    if ((given.channel ?? '') === '') return { kind: 'no_channel' };
  }
  const { data, error } = inputs.safeParse(given);
  if (data === undefined) {
    return { kind: 'not_readable', input: String(error.issues[0]?.path[0] ?? 'request') };
  }
  const { channel: channelId, draft: isDraft, wait: waits } = data;
  const personId = data.person?.id ?? null;
  const { access, log } = deps;
  if (personId !== null) {
    const person = await access.refusal(personId, channelId);
    if (person !== null) {
      log.info('access_refused', { user_id: personId, channel_id: channelId, reason: person });
      return { kind: 'not_allowed', person };
    }
  } else if (!(await access.admitsWorkflows(channelId))) {
    log.info('access_refused', { channel_id: channelId, reason: 'workflow' });
    return { kind: 'not_allowed', person: null };
  }
  const chosen = data.project === null ? null : projectCalled(data.project, deps.projects);
  if (chosen !== null && 'kind' in chosen) return chosen;
  const raw = {
    ...{ teamId: deps.teamId, channelId, requesterId: personId, project: chosen },
    origin: { kind: 'workflow', executionId, waits },
    text: sanitize(data.request),
    ...{ responseUrl: null, thread: null },
  } as const;
  const read = await requestOf(deps, raw);
  return 'refusal' in read ? read.refusal : { request: read.request, isDraft };
}

/** Returns the error for the step. The first answer remains. */
function storeOnce(
  deps: ListenerDeps,
  { id: executionId, keys, token }: Execution,
  step: StepRequest | StepRefusal,
  personId: string | null,
): Promise<{ readonly error: string; readonly note: RequestNote }> {
  const { teamId } = deps;
  const answerKey = `step:${teamId}:${executionId}`;
  return deps.store.transaction(async (tx) => {
    const context = deps.newContext();
    const { nowMs } = context;
    const first = await tx.hookAnswers.claim(answerKey, nowMs);
    if (first !== null) return { error: first, note: { outcome: 'duplicate' } };
    if ('kind' in step) {
      const error = stepRefusalText(step);
      await tx.hookAnswers.put(answerKey, error);
      // Without a person, the channel is missing from `workflows`.
      const reason = step.kind === 'not_allowed' ? (step.person ?? 'channel') : step.kind;
      return { error, note: { outcome: 'refused', refusal: { teamId, userId: personId, reason } } };
    }
    const isNew = await tx.inboundRequests.remember(keys, nowMs);
    if (!isNew) return { error: STARTED, note: { outcome: 'duplicate' } };
    const { request, isDraft } = step;
    const approvers = approversIn(context.rulesOf(teamId), request.channelId);
    const decision = isDraft ? requestDraft(request, { approvers }, context) : openJob(request, context);
    await tx.write(decision, nowMs);
    const { id: jobId } = decision.job;
    if (token !== null) await tx.queries(StepTokens).keep(jobId, token, nowMs + TOKEN_LIFE_MS);
    return { error: STARTED, note: { outcome: 'accepted', jobId } };
  });
}

async function reportError({ poster, log }: ListenerDeps, { id, token }: Execution, error: string) {
  try {
    await poster.completeStep({ executionId: id, error }, token);
  } catch (thrown) {
    const { code: reason, outcome, needsAdmin } = failureIn(thrown);
    log.error('step_completed', { outcome, reason });
    if (outcome !== 'refused' && !needsAdmin) throw thrown;
  }
}
