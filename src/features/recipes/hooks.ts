import { isUtf8 } from 'node:buffer';
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { z } from 'zod';
import { parseJson } from '#runtime/exchange.ts';
import { type BodyReader, type Route, tooLongBody } from '#runtime/http-server.ts';
import { recentSignature, SIGNATURE_MISMATCH } from '#slack/inbound/connection/connection.ts';
import type { FeatureTools, NamedSecret } from '../feature.ts';
import { type Recipe, type RecipeProblem, recipesIn, VALUE_PROBLEMS, webhooksIn } from './recipe.ts';
import { isClosedTo, startRecipe } from './start.ts';

/** From the Standard Webhooks specification. */
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;
const SECRET = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/;

export function webhookSecrets(given: object): NamedSecret[] {
  return webhooksIn(given).map(({ name, variable }) => ({
    variable,
    of: `the webhook of the recipe ${name}`,
    example: `${variable}=whsec_…`,
    read: (text) => {
      const keys = text.split(/\s+/).map((secret) => Buffer.from(SECRET.exec(secret)?.[1] ?? '', 'base64'));
      return keys.every(({ length }) => length >= SECRET_BYTES_MIN && length <= SECRET_BYTES_MAX)
        ? keys.map((key) => createSecretKey(key))
        : `must be ${SECRET_BYTES_MIN} to ${SECRET_BYTES_MAX} bytes in base64 ("openssl rand -base64 32"), with or without whsec_ in front; separate several with spaces`;
    },
  }));
}

const BODY_LIMIT_BYTES = 64 * 1024;

type Hook = Readonly<{ teamId: string; recipe: Recipe; secrets: readonly KeyObject[] }>;

type HookResponse = Readonly<{ status: number; body: string }>;

export function hookRoutes(tools: FeatureTools, bodies: BodyReader): Route[] {
  const hooks = tools.teamIds.flatMap((teamId) =>
    recipesIn(tools.featureSettingsOf(teamId)).flatMap((recipe) => {
      const { secretVariable: variable } = recipe;
      return variable === undefined ? [] : { teamId, recipe, secrets: tools.secretsOf(variable) };
    }),
  );
  return hooks.map((hook) => ({
    method: 'POST',
    path: `/hooks/${hook.recipe.name}`,
    handle: async (request, response) => {
      const facts = { team_id: hook.teamId, recipe: hook.recipe.name };
      let answer: HookResponse;
      // Body and signature may be secret: never log them.
      try {
        answer = await handle(tools, bodies, hook, request);
        const level = answer.status < 400 ? 'info' : 'warn';
        tools.log[level]('hook_called', { ...facts, http_status: answer.status });
      } catch (error) {
        answer = errorAnswer(503, 'not stored: try again');
        tools.log.error('hook_called', { ...facts, http_status: answer.status, error });
      }
      // Unread bytes would be taken for the next request.
      const more = response.req.complete ? {} : { connection: 'close' };
      const headers = { 'content-type': 'application/json', ...more };
      response.writeHead(answer.status, headers).end(`${answer.body}\n`);
    },
  }));
}

const hookBody = z.object({
  values: z.record(z.string(), z.string()).default({}),
  text: z.string().default(''),
});

async function handle(
  tools: FeatureTools,
  bodies: BodyReader,
  hook: Hook,
  request: IncomingMessage,
): Promise<HookResponse> {
  const tooLong = tooLongBody(request, BODY_LIMIT_BYTES);
  if (tooLong !== null) return errorAnswer(tooLong.status, tooLong.reason);
  const signed = webhookSignatureIn(hook.secrets, request.headers, tools.clock.now());
  if ('problem' in signed) return errorAnswer(401, signed.problem);
  const content = await bodies.read(request, BODY_LIMIT_BYTES);
  if ('status' in content) return errorAnswer(content.status, content.reason);
  if (!signed.covers(content)) return errorAnswer(401, SIGNATURE_MISMATCH);
  const given = isUtf8(content) ? parseJson(new TextDecoder().decode(content)) : undefined;
  if (given === undefined) return errorAnswer(400, 'no JSON');
  const { data, error } = hookBody.safeParse(given);
  if (data !== undefined) return store(tools, hook, signed.id, data);
  const place = error.issues[0]?.path.join('.') ?? '';
  return errorAnswer(400, place === '' ? 'no JSON object' : `${place} is of the wrong type`);
}

const SKIPPED = {
  skipped: 'its last job is still open',
  paused: 'it is paused after failures',
  shared_channel: 'its channel is shared with another organisation',
};

/** A repeated id gets the first response. */
async function store(
  tools: FeatureTools,
  { teamId, recipe }: Hook,
  id: string,
  { values, text }: z.infer<typeof hookBody>,
): Promise<HookResponse> {
  const key = `${teamId}:${recipe.name}:${id}`;
  const isClosed = await isClosedTo(tools, teamId, recipe);
  return tools.store.transaction(async (tx) => {
    const context = tools.newContext();
    const stored = await tx.hookAnswers.claim(key, context.nowMs);
    if (stored !== null) return { status: 202, body: stored };
    const start = { teamId, recipe, text, isClosed, values: new Map(Object.entries(values)) };
    const outcome = await startRecipe(tx, { ...start, origin: { kind: 'webhook' } }, context);
    if (outcome.kind === 'duplicate') throw new Error('it has no keys');
    if (outcome.kind === 'refused') {
      // The sender may correct it.
      await tx.hookAnswers.release(key);
      return problemAnswer(outcome.problem);
    }
    const body = JSON.stringify(
      outcome.kind === 'started' || outcome.kind === 'drafted'
        ? { [recipe.isDraft ? 'draft' : 'job']: outcome.job.id }
        : { skipped: SKIPPED[outcome.kind] },
    );
    await tx.hookAnswers.put(key, body);
    return { status: 202, body };
  });
}

function problemAnswer(problem: RecipeProblem): HookResponse {
  switch (problem.kind) {
    case 'missing':
      return errorAnswer(422, `no value for ${problem.names.join(', ')}`);
    case 'unknown':
      return errorAnswer(422, `no placeholder ${problem.names.join(', ')}`);
    case 'bad_value':
      return errorAnswer(422, `the value of ${problem.name} ${VALUE_PROBLEMS[problem.problem]}`);
    case 'too_long':
      return errorAnswer(
        413,
        `the request would have ${problem.length} characters: at most ${problem.maxLength}`,
      );
    case 'no_project':
      return errorAnswer(503, 'its workspace has no project');
  }
}

function errorAnswer(status: number, error: string): HookResponse {
  return { status, body: JSON.stringify({ error }) };
}

const signedHeaders = z.object({
  'webhook-id': z.string().regex(/^[\x21-\x7e]{1,256}$/),
  // Digits only: a dot would shift the signed parts.
  'webhook-timestamp': z.string().regex(/^\d{1,12}$/),
  'webhook-signature': z.string(),
});
const SIGNATURE = /^v1,([A-Za-z0-9+/]{43}=)$/;

export function webhookSignatureIn(
  secrets: readonly KeyObject[],
  headers: IncomingHttpHeaders,
  nowMs: number,
): { readonly id: string; readonly covers: (content: Buffer) => boolean } | { readonly problem: string } {
  const { data, error } = signedHeaders.safeParse(headers);
  if (data === undefined) return { problem: `${error.issues[0]?.path.join()} is missing or malformed` };
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': given } = data;
  const signatures = given.split(' ').flatMap((signature) => {
    const [, base64] = SIGNATURE.exec(signature) ?? [];
    return base64 === undefined ? [] : [Buffer.from(base64, 'base64')];
  });
  const prefix = `${id}.${timestamp}.`;
  const signed = recentSignature({ secrets, prefix, signatures, timestamp }, nowMs);
  if ('problem' in signed) return signed;
  return signatures.length === 0 ? { problem: SIGNATURE_MISMATCH } : { id, ...signed };
}
