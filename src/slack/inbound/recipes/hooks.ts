import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { EngineTools } from '../../../engine/apply-event.ts';
import { type BodyReader, type Route, tooLongBody } from '../../../engine/runtime/http-server.ts';
import type { Recipe } from '../../../jobs/recipe.ts';
import type { Workspaces } from '../../workspace/workspace.ts';
import { isClosedTo, type RecipeOutcome, type RecipeProblem, startRecipe } from './start-recipe.ts';

const BODY_LIMIT_BYTES = 64 * 1024;

/** A recipe that anybody with one of the secrets may start. */
export interface Hook {
  readonly teamId: string;
  readonly recipe: Recipe;
  readonly secrets: readonly KeyObject[];
}

interface Parts extends Pick<EngineTools, 'store' | 'clock' | 'log' | 'newContext'> {
  readonly workspaces: Workspaces;
  readonly bodies: BodyReader;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** `POST /hooks/<name>` for each: starts the recipe, as the Standard Webhooks specification says. */
export function hookRoutes(parts: Parts, hooks: readonly Hook[]): Route[] {
  return hooks.map((hook) => ({
    method: 'POST',
    path: `/hooks/${hook.recipe.name}`,
    handle: (request, response) => {
      void answerTo(parts, hook, request).then((answer) => send(response, answer));
    },
  }));
}

function send(response: ServerResponse, { status, body }: Answer): void {
  // Unread bytes of a refused request would be taken for the next one.
  const more = response.req.complete ? {} : { connection: 'close' };
  response.writeHead(status, { 'content-type': 'application/json', ...more }).end(`${body}\n`);
}

/** Logs neither body nor signature: both may be secret. */
async function answerTo(parts: Parts, hook: Hook, request: IncomingMessage): Promise<Answer> {
  const facts = { team_id: hook.teamId, recipe: hook.recipe.name };
  try {
    const answer = await taken(parts, hook, request);
    const { status } = answer;
    parts.log[status < 400 ? 'info' : 'warn']('hook_called', { ...facts, http_status: status });
    return answer;
  } catch (error) {
    parts.log.error('hook_called', { ...facts, http_status: 503, error });
    return refusal(503, 'not stored: try again');
  }
}

async function taken(parts: Parts, hook: Hook, request: IncomingMessage): Promise<Answer> {
  const { headers } = request;
  const nowMs = parts.clock.now();
  const long = tooLongBody(request, BODY_LIMIT_BYTES);
  if (long !== null) return refusal(long.status, long.reason);
  const early = webhookSignatureIn(headers, nowMs);
  if ('problem' in early) return refusal(401, early.problem);
  const content = await parts.bodies.read(request, BODY_LIMIT_BYTES);
  if ('status' in content) return refusal(content.status, content.reason);
  const signed = verifyWebhook(hook.secrets, { headers, content }, nowMs);
  if ('problem' in signed) return refusal(401, signed.problem);
  const body = bodyIn(content);
  if (typeof body === 'string') return refusal(400, body);
  return store(parts, hook, signed.id, body);
}

const hookBody = z.object({
  values: z.record(z.string(), z.string()).default({}),
  text: z.string().default(''),
});

/** What is wrong with it, if it is no request. */
function bodyIn(content: Buffer): z.infer<typeof hookBody> | string {
  let given: unknown;
  try {
    given = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content));
  } catch {
    return 'no JSON';
  }
  const { data, error } = hookBody.safeParse(given);
  if (data !== undefined) return data;
  const place = error.issues[0]?.path.join('.') ?? '';
  return place === '' ? 'no JSON object' : `${place} is of the wrong type`;
}

/** Started once for each id of the sender; a second request with it gets the first answer. */
async function store(
  parts: Parts,
  { teamId, recipe }: Hook,
  id: string,
  { values, text }: z.infer<typeof hookBody>,
): Promise<Answer> {
  const { store: jobs, newContext } = parts;
  const key = `${teamId}:${recipe.name}:${id}`;
  const isClosed = await isClosedTo(parts, { teamId, recipe });
  return jobs.transaction(async (tx) => {
    const context = newContext();
    const known = await tx.hookAnswers.claim(key, context.nowMs);
    if (known !== null) return { status: 202, body: known };
    const outcome = await startRecipe(
      tx,
      {
        ...{ teamId, recipe, text, isClosed },
        userId: null,
        origin: { kind: 'webhook' },
        responseUrl: null,
        // `claim` has remembered it.
        keys: [],
        values: new Map(Object.entries(values)),
      },
      context,
    );
    if (outcome.kind === 'refused') {
      // The sender may correct it.
      await tx.hookAnswers.release(key);
      return refused(outcome.problem);
    }
    if (outcome.kind === 'duplicate') throw new Error('it has no keys');
    const body = JSON.stringify(acceptance(outcome));
    await tx.hookAnswers.put(key, body);
    return { status: 202, body };
  });
}

function acceptance(
  outcome: Exclude<RecipeOutcome, { kind: 'refused' | 'duplicate' }>,
): Readonly<Record<string, string>> {
  switch (outcome.kind) {
    case 'started':
      return { job: outcome.job.id };
    case 'drafted':
      return { draft: outcome.job.id };
    case 'skipped':
      return { skipped: 'its last job is still open' };
    case 'paused':
      return { skipped: 'it is paused after failures' };
    case 'shared_channel':
      return { skipped: 'its channel is shared with another organisation' };
  }
}

function refused(problem: RecipeProblem): Answer {
  switch (problem.kind) {
    case 'missing':
      return refusal(422, `no value for ${problem.names.join(', ')}`);
    case 'unknown':
      return refusal(422, `no placeholder ${problem.names.join(', ')}`);
    case 'bad_value':
      return refusal(422, `the value of ${problem.name} is ${BAD_VALUES[problem.problem]}`);
    case 'too_long':
      return refusal(
        413,
        `the request would have ${problem.length} characters: at most ${problem.maxLength}`,
      );
    case 'no_project':
      return refusal(503, 'its workspace has no project');
  }
}

const BAD_VALUES = {
  empty: 'empty',
  too_long: 'longer than 500 characters',
  several_lines: 'more than one line',
} as const;

function refusal(status: number, error: string): Answer {
  return { status, body: JSON.stringify({ error }) };
}

/** An older request may be a replay. */
const APART_MAX_S = 5 * 60;
/** Digits only: a dot would let the signed parts be read shifted. */
const TIMESTAMP = /^\d{1,12}$/;
const ID = /^[\x21-\x7e]{1,256}$/;
/** Other versions are skipped. */
const SIGNATURE = /^v1,([A-Za-z0-9+/]{43}=)$/;

export interface WebhookRequest {
  readonly headers: IncomingHttpHeaders;
  /** The bytes as received. */
  readonly content: Buffer;
}

interface Signed {
  readonly id: string;
  readonly timestamp: string;
  /** At least one. */
  readonly signatures: readonly Buffer[];
}

type Problem = { readonly problem: string };
const MISMATCH: Problem = { problem: 'signature mismatch' };

/**
 * The sender's id of a request that one of the secrets signed just now, by Standard Webhooks; otherwise what
 * is wrong.
 */
export function verifyWebhook(
  secrets: readonly KeyObject[],
  { headers, content }: WebhookRequest,
  nowMs: number,
): { readonly id: string } | Problem {
  const signed = webhookSignatureIn(headers, nowMs);
  if ('problem' in signed) return signed;
  const { id, timestamp, signatures } = signed;
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(content).digest(),
  );
  const fits = expected.some((one) => signatures.some((other) => timingSafeEqual(one, other)));
  return fits ? { id } : MISMATCH;
}

/** The signatures in the headers, if they are recent: judged before the body is read. */
function webhookSignatureIn(headers: IncomingHttpHeaders, nowMs: number): Signed | Problem {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const given = headers['webhook-signature'];
  if (typeof id !== 'string') return { problem: 'no webhook-id' };
  if (!ID.test(id)) return { problem: 'webhook-id must be 1 to 256 characters of ASCII, without spaces' };
  if (typeof timestamp !== 'string' || !TIMESTAMP.test(timestamp)) return { problem: 'no webhook-timestamp' };
  if (typeof given !== 'string') return { problem: 'no webhook-signature' };
  const agoS = nowMs / 1000 - Number(timestamp);
  if (agoS > APART_MAX_S) return { problem: 'signed too long ago' };
  if (agoS < -APART_MAX_S) return { problem: 'signed for a time to come' };
  const signatures = given.split(' ').flatMap((signature) => {
    const [, base64] = SIGNATURE.exec(signature) ?? [];
    return base64 === undefined ? [] : [Buffer.from(base64, 'base64')];
  });
  return signatures.length === 0 ? MISMATCH : { id, timestamp, signatures };
}
