import type { KeyObject } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { EngineTools } from '../../../engine/apply-event.ts';
import { type BodyReader, type Route, tooLongBody } from '../../../engine/runtime/http-server.ts';
import type { Recipe } from '../../../jobs/recipe.ts';
import type { Workspaces } from '../../workspace/workspace.ts';
import { MISMATCH, recentSignature } from '../connection/signature.ts';
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
    handle: async (request, response) => {
      const facts = { team_id: hook.teamId, recipe: hook.recipe.name };
      // Logs neither body nor signature: both may be secret.
      const answer = await take(parts, hook, request).catch((error: unknown) => {
        parts.log.error('hook_called', { ...facts, http_status: 503, error });
        return null;
      });
      const { status, body } = answer ?? refusal(503, 'not stored: try again');
      if (answer !== null) {
        parts.log[status < 400 ? 'info' : 'warn']('hook_called', { ...facts, http_status: status });
      }
      // Unread bytes of a refused request would be taken for the next one.
      const more = response.req.complete ? {} : { connection: 'close' };
      response.writeHead(status, { 'content-type': 'application/json', ...more }).end(`${body}\n`);
    },
  }));
}

async function take(parts: Parts, hook: Hook, request: IncomingMessage): Promise<Answer> {
  const long = tooLongBody(request, BODY_LIMIT_BYTES);
  if (long !== null) return refusal(long.status, long.reason);
  const signed = webhookSignatureIn(hook.secrets, request.headers, parts.clock.now());
  if ('problem' in signed) return refusal(401, signed.problem);
  const content = await parts.bodies.read(request, BODY_LIMIT_BYTES);
  if ('status' in content) return refusal(content.status, content.reason);
  if (!signed.covers(content)) return refusal(401, MISMATCH);
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
  const key = `${teamId}:${recipe.name}:${id}`;
  const isClosed = await isClosedTo(parts, { teamId, recipe });
  return parts.store.transaction(async (tx) => {
    const context = parts.newContext();
    const known = await tx.hookAnswers.claim(key, context.nowMs);
    if (known !== null) return { status: 202, body: known };
    const asked = { teamId, recipe, text, isClosed, values: new Map(Object.entries(values)) };
    // `claim` has remembered it, so it needs no keys.
    const outcome = await startRecipe(tx, { ...asked, origin: { kind: 'webhook' } }, context);
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

const SKIPPED = {
  skipped: 'its last job is still open',
  paused: 'it is paused after failures',
  shared_channel: 'its channel is shared with another organisation',
} as const;

function acceptance(outcome: Exclude<RecipeOutcome, { kind: 'refused' | 'duplicate' }>): object {
  if (outcome.kind === 'started') return { job: outcome.job.id };
  return outcome.kind === 'drafted' ? { draft: outcome.job.id } : { skipped: SKIPPED[outcome.kind] };
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

/** Digits only: a dot would let the signed parts be read shifted. */
const TIMESTAMP = /^\d{1,12}$/;
const ID = /^[\x21-\x7e]{1,256}$/;
/** Other versions are skipped. */
const SIGNATURE = /^v1,([A-Za-z0-9+/]{43}=)$/;

/** The sender's id, and the check of the body, by Standard Webhooks; otherwise what is wrong. */
export function webhookSignatureIn(
  secrets: readonly KeyObject[],
  headers: IncomingHttpHeaders,
  nowMs: number,
): { readonly id: string; readonly covers: (content: Buffer) => boolean } | { readonly problem: string } {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const given = headers['webhook-signature'];
  if (typeof id !== 'string') return { problem: 'no webhook-id' };
  if (!ID.test(id)) return { problem: 'webhook-id must be 1 to 256 characters of ASCII, without spaces' };
  if (typeof timestamp !== 'string' || !TIMESTAMP.test(timestamp)) return { problem: 'no webhook-timestamp' };
  if (typeof given !== 'string') return { problem: 'no webhook-signature' };
  const signatures = given.split(' ').flatMap((signature) => {
    const [, base64] = SIGNATURE.exec(signature) ?? [];
    return base64 === undefined ? [] : [Buffer.from(base64, 'base64')];
  });
  const prefix = `${id}.${timestamp}.`;
  const signed = recentSignature({ secrets, prefix, signatures, timestamp }, nowMs);
  if ('problem' in signed) return signed;
  return signatures.length === 0 ? { problem: MISMATCH } : { id, ...signed };
}
