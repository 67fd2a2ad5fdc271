import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import { HTTPModuleFunctions as bolt } from '@slack/bolt';
import { z } from 'zod';
import type { BodyReader } from '../../../engine/runtime/http-server.ts';
import type { Logger } from '../../../engine/runtime/redact.ts';
import {
  appThatWrote,
  type ChangeEvent,
  isChange,
  type MessageEvent,
  mayBeHuman,
} from '../../messages/message-event.ts';
import { MISMATCH, recentSignature } from './signature.ts';

/**
 * Slack's longest request is an edit of a 40,000-character message: four copies, up to six bytes a character.
 */
const BODY_LIMIT_BYTES = 1024 * 1024;
/** For a request without a signature: Slack's check of the address is a short form. */
const UNSIGNED_LIMIT_BYTES = 1024;

export interface SlackRequests {
  readonly signingSecret: string;
  readonly bodies: BodyReader;
  readonly log: Logger;
}

/**
 * Whether Slack signed the request just now and it holds a JSON object: Bolt fails on other content, or never
 * acknowledges. If not, it is answered here. If so, its body can be read again and needs no second
 * verification.
 */
export async function isSignedBySlack(
  request: IncomingMessage,
  response: ServerResponse,
  requests: SlackRequests,
): Promise<boolean> {
  const verdict = await verdictOf(request, requests);
  if (verdict === 'genuine') return true;
  if (verdict === 'ssl check') {
    response.writeHead(200).end();
    return false;
  }
  requests.log.warn('request_refused', { ...verdict });
  // Unread bytes would be taken for the next request.
  response.writeHead(verdict.status, { connection: 'close' }).end();
  return false;
}

/**
 * Anybody may send a request, so the headers are judged before the body is read. The body is kept with the
 * request for a second reading.
 */
async function verdictOf(
  request: IncomingMessage,
  { signingSecret, bodies }: SlackRequests,
): Promise<'genuine' | 'ssl check' | { readonly status: number; readonly reason: string }> {
  const { headers } = request;
  const signed = signatureIn(signingSecret, headers, Date.now());
  const isUnsigned = 'problem' in signed;
  const { 'content-type': type, 'content-length': length } = headers;
  const mayBeSslCheck =
    type === 'application/x-www-form-urlencoded' && Number(length) <= UNSIGNED_LIMIT_BYTES;
  if (isUnsigned && !mayBeSslCheck) return { status: 401, reason: signed.problem };
  const content = await bodies.read(request, isUnsigned ? UNSIGNED_LIMIT_BYTES : BODY_LIMIT_BYTES);
  if ('status' in content) return content;
  const problem = isUnsigned ? signed.problem : signed.covers(content) ? null : MISMATCH;
  // Slack's unsigned check of the address. Nothing else in it is read.
  const isSslCheck = () => parseForm(content.toString()).ssl_check === '1';
  if (problem !== null) return isSslCheck() ? 'ssl check' : { status: 401, reason: problem };
  try {
    const body: unknown = bolt.parseHTTPRequestBody(Object.assign(request, { rawBody: content }));
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    return isObject ? 'genuine' : { status: 400, reason: 'no object' };
  } catch (error) {
    if (error instanceof SyntaxError) return { status: 400, reason: 'no JSON' };
    return { status: 400, reason: error instanceof Error ? error.message : String(error) };
  }
}

const SIGNATURE = /^v0=([0-9a-f]{64})$/;

/**
 * Bolt's own check accepts any future time and takes ten times as long, a third of what a bare Bolt app spends
 * on a request.
 */
export function signatureIn(signingSecret: string, headers: IncomingHttpHeaders, nowMs: number) {
  const timestamp = headers['x-slack-request-timestamp'];
  const [, signature] = SIGNATURE.exec(String(headers['x-slack-signature'])) ?? [];
  if (typeof timestamp !== 'string' || signature === undefined) return { problem: 'no signature' };
  const prefix = `v0:${timestamp}:`;
  const signatures = [Buffer.from(signature, 'hex')];
  return recentSignature({ secrets: [signingSecret], prefix, signatures, timestamp }, nowMs);
}

/** A short word, or empty. Nothing else is an id, and the store need not accept it. */
const id = z.string().regex(/^[\w.:-]{0,255}$/);
const ts = z.string().regex(/^\d{1,20}\.\d{1,20}$/);
/** Identifies a request for deduplication. */
const key = z.string().min(1).max(1_000);
const text = z.string();
const present = z.looseObject({});
/** Bolt tells requests apart by these members. */
const absent = z.undefined().optional();

const team = z.looseObject({ id: id.optional() });

/** Where the app is installed: looked up in the store. */
const installed = {
  team_id: id.optional(),
  enterprise_id: id.optional(),
  context_team_id: id.optional(),
  team: team.optional(),
  enterprise: team.optional(),
  authorizations: z.array(z.looseObject({ team_id: id.nullish(), enterprise_id: id.nullish() })).optional(),
};

const event = z.looseObject({
  ...installed,
  type: z.literal('event_callback'),
  event: z.looseObject({ type: text }),
  event_id: key.optional(),
});

/** Bolt reads these of any event. */
const anyEvent = z.looseObject({ channel: z.union([text, present]).optional(), item: present.optional() });

const said = z.looseObject({
  user: id.optional(),
  text: text.optional(),
  ts,
  thread_ts: ts.optional(),
  client_msg_id: key.optional(),
  edited: z.looseObject({ ts: ts.optional() }).optional(),
});

const message = anyEvent.extend({ ...said.shape, channel: id });
const change = anyEvent.extend({
  channel: id,
  message: present.optional(),
  previous_message: present.optional(),
});
/** On a message. Reactions to other items are not read further. */
const reaction = anyEvent.extend({
  user: id,
  reaction: text,
  item: z.looseObject({ channel: id, ts }),
});
const channelChanged = anyEvent.extend({ channel: id });

/** A workflow step. Its listener reads the inputs and tells the workflow's author what is wrong. */
const step = anyEvent.extend({
  function: z.looseObject({ callback_id: text }),
  function_execution_id: id.min(1),
  inputs: present.optional(),
  bot_access_token: text.optional(),
});

const command = z.looseObject({
  ...installed,
  command: text,
  text: text.optional(),
  user_id: id,
  channel_id: id,
  trigger_id: key.optional(),
  response_url: text.optional(),
  event: absent,
});

const interaction = {
  ...installed,
  user: z.looseObject({ id, team_id: id.optional() }),
  trigger_id: key.optional(),
  response_url: text.optional(),
  response_urls: z.array(present).optional(),
  event: absent,
  command: absent,
  name: absent,
};

const view = z.looseObject({
  id,
  team_id: id.optional(),
  app_installed_team_id: id.optional(),
  blocks: z.array(z.looseObject({ block_id: text.optional() })),
});

const press = z.looseObject({
  ...interaction,
  type: z.literal('block_actions'),
  actions: z.tuple([z.looseObject({ action_id: text, value: text.optional() })], z.unknown()),
  channel: z.looseObject({ id: id.optional() }).optional(),
  view: view.optional(),
});

const shortcut = z.looseObject({
  ...interaction,
  type: z.literal('message_action'),
  callback_id: text,
  channel: z.looseObject({ id }),
  message: z.looseObject({ ts: text, text: text.optional() }),
  actions: absent,
});

const option = z.looseObject({ value: text });
/** Fields of other kinds have none of these. */
const filledIn = z.looseObject({
  value: text.optional(),
  selected_option: option.optional(),
  selected_options: z.array(option).optional(),
  selected_conversation: id.optional(),
  selected_conversations: z.array(id).optional(),
});

const submission = z.looseObject({
  ...interaction,
  type: z.literal('view_submission'),
  view: view.extend({
    callback_id: text,
    private_metadata: text,
    state: z.looseObject({ values: z.record(text, z.record(text, filledIn)) }),
  }),
  actions: absent,
});

const shapes: Readonly<Record<string, z.ZodType>> = {
  event_callback: event,
  block_actions: press,
  message_action: shortcut,
  view_submission: submission,
};

/**
 * Throws BadRequestError for an unknown request, or one without the shape that Bolt and the listeners rely
 * on. Since it is signed, either Slack changed or an attacker has the signing secret; neither may break
 * anything.
 * @param body without nulls
 */
export function checkShape(body: object): void {
  const { type, command: name } = body as { readonly type?: unknown; readonly command?: unknown };
  const kind = typeof type === 'string' && Object.hasOwn(shapes, type) ? type : null;
  const shape = kind === null ? (name === undefined ? undefined : command) : shapes[kind];
  if (shape === undefined) throw new BadRequestError(404, 'nothing that the program knows');
  checkPart(shape, body, []);
  if (kind === 'event_callback') checkEvent((body as { readonly event: MessageEvent }).event);
}

type SlackEventPart = Partial<MessageEvent & ChangeEvent> & {
  readonly type?: unknown;
  readonly item?: { readonly type?: unknown };
};

function checkEvent(body: SlackEventPart): void {
  checkPart(eventShape(body), body, ['event']);
  if (body.type !== 'message' || !isChange(body)) return;
  for (const part of ['message', 'previous_message'] as const) {
    const other = body[part];
    if (other !== undefined && mayBeHuman(other)) checkPart(said, other, ['event', part]);
  }
}

/** Of those whose shape depends on nothing else. */
const EVENTS: ReadonlyMap<unknown, z.ZodType> = new Map<string, z.ZodType>([
  ['app_home_opened', anyEvent.extend({ user: id })],
  ['function_executed', step],
  ['member_joined_channel', anyEvent.extend({ user: id, channel: id })],
  ['channel_unarchive', channelChanged],
  ['group_unarchive', channelChanged],
  ['channel_deleted', channelChanged],
  ['group_deleted', channelChanged],
]);

function eventShape(body: SlackEventPart): z.ZodType {
  const known = EVENTS.get(body.type);
  if (known !== undefined) return known;
  if (body.type === 'reaction_added' || body.type === 'reaction_removed') {
    return body.item?.type === 'message' ? reaction : anyEvent;
  }
  if (body.type !== 'message' && body.type !== 'app_mention') return anyEvent;
  if (isChange(body)) return change;
  return mayBeHuman(body) || appThatWrote(body) !== null ? message : anyEvent;
}

function checkPart(shape: z.ZodType, part: unknown, at: readonly string[]): void {
  const issue = shape.safeParse(part).error?.issues[0];
  if (issue !== undefined) throw new BadRequestError(400, `malformed at ${[...at, ...issue.path].join('.')}`);
}

/** A request that can never be processed. The message names the problem and quotes no content. */
export class BadRequestError extends Error {
  readonly status: 400 | 404;

  constructor(status: BadRequestError['status'], message: string) {
    super(message);
    this.name = 'BadRequestError';
    this.status = status;
  }
}

/** As deep as Bolt and the listeners look: a choice in a form's field. */
const DEPTH = 6;

/** For empty fields, Slack sends null always, sometimes or never. Nulls in lists stay. */
export function withoutNulls<Value extends object>(value: Value): Value {
  return stripped(value, DEPTH) as Value;
}

function stripped(value: unknown, depth: number): unknown {
  if (depth === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => stripped(element, depth - 1));
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, stripped(member, depth - 1)]));
}
