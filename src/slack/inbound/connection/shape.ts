import { z } from 'zod';
import {
  appThatWrote,
  type ChangeEvent,
  isChange,
  type MessageEvent,
  mayBeHuman,
} from '../../messages/message-event.ts';

/** May be empty. */
const id = z.string().regex(/^[\w.:-]{0,255}$/);
const ts = z.string().regex(/^\d{1,20}\.\d{1,20}$/);
const key = z.string().min(1).max(1_000);
const text = z.string();
const present = z.looseObject({});
/** Bolt tells requests apart by these members. */
const absent = z.undefined().optional();

const team = z.looseObject({ id: id.optional() });

const installed = {
  team_id: id.optional(),
  enterprise_id: id.optional(),
  context_team_id: id.optional(),
  team: team.optional(),
  enterprise: team.optional(),
  authorizations: z.array(z.looseObject({ team_id: id.nullish(), enterprise_id: id.nullish() })).optional(),
};

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

const option = z.looseObject({ value: text });
const filledIn = z.looseObject({
  value: text.optional(),
  selected_option: option.optional(),
  selected_options: z.array(option).optional(),
  selected_conversation: id.optional(),
  selected_conversations: z.array(id).optional(),
});

const REQUESTS = new Map<unknown, z.ZodType>(
  Object.entries({
    event_callback: z.looseObject({
      ...installed,
      event: z.looseObject({ type: text }),
      event_id: key.optional(),
    }),
    block_actions: z.looseObject({
      ...interaction,
      actions: z.tuple(
        [z.looseObject({ action_id: text, action_ts: ts, value: text.optional() })],
        z.unknown(),
      ),
      channel: team.optional(),
      view: view.optional(),
    }),
    message_action: z.looseObject({
      ...interaction,
      callback_id: text,
      channel: z.looseObject({ id }),
      message: z.looseObject({ ts: text, text: text.optional() }),
      actions: absent,
    }),
    view_submission: z.looseObject({
      ...interaction,
      view: view.extend({
        callback_id: text,
        private_metadata: text,
        state: z.looseObject({ values: z.record(text, z.record(text, filledIn)) }),
      }),
      actions: absent,
    }),
  }),
);

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

/** Bolt reads these of any event. */
const anyEvent = z.looseObject({ channel: z.union([text, present]).optional(), item: present.optional() });

const message = anyEvent.extend({
  user: id.optional(),
  text: text.optional(),
  ts,
  thread_ts: ts.optional(),
  client_msg_id: key.optional(),
  edited: z.looseObject({ ts: ts.optional() }).optional(),
});
const posted = message.extend({ channel: id });
const change = anyEvent.extend({
  channel: id,
  message: present.optional(),
  previous_message: present.optional(),
});
const reaction = anyEvent.extend({ user: id, reaction: text, item: z.looseObject({ channel: id, ts }) });
const inChannel = anyEvent.extend({ channel: id });

const EVENTS = new Map<unknown, z.ZodType>(
  Object.entries({
    agent_session_stopped: inChannel.extend({ user: id, thread_ts: ts }),
    app_home_opened: anyEvent.extend({ user: id }),
    // The listener tells the workflow's author what is wrong with the inputs.
    function_executed: anyEvent.extend({
      function: z.looseObject({ callback_id: text }),
      function_execution_id: id.min(1),
      inputs: present.optional(),
      bot_access_token: text.optional(),
    }),
    member_joined_channel: inChannel.extend({ user: id }),
    channel_unarchive: inChannel,
    group_unarchive: inChannel,
  }),
);

type SlackEventPart = Partial<MessageEvent & ChangeEvent> & {
  readonly type?: unknown;
  readonly item?: { type?: unknown };
};

/**
 * Throws BadRequestError for a shape that Bolt or a listener cannot handle: Slack may change, or the signing
 * secret may leak. @param body without nulls
 */
export function checkShape(body: object): void {
  const { type, command: name, event } = body as { type?: unknown; command?: unknown; event: SlackEventPart };
  const shape = REQUESTS.get(type) ?? (name === undefined ? undefined : command);
  if (shape === undefined) throw new BadRequestError(404, 'nothing that the program knows');
  checkPart(shape, body);
  if (type !== 'event_callback') return;
  checkPart(eventShape(event), event, 'event');
  if (event.type !== 'message' || !isChange(event)) return;
  for (const part of ['message', 'previous_message'] as const) {
    const other = event[part];
    if (other !== undefined && mayBeHuman(other)) checkPart(message, other, 'event', part);
  }
}

function eventShape(event: SlackEventPart) {
  const { type, item } = event;
  if (type === 'reaction_added' || type === 'reaction_removed') {
    return item?.type === 'message' ? reaction : anyEvent;
  }
  if (type !== 'message' && type !== 'app_mention') return EVENTS.get(type) ?? anyEvent;
  if (isChange(event)) return change;
  return mayBeHuman(event) || appThatWrote(event) !== null ? posted : anyEvent;
}

function checkPart(shape: z.ZodType, part: unknown, ...at: readonly string[]) {
  const issue = shape.safeParse(part).error?.issues[0];
  if (issue !== undefined) throw new BadRequestError(400, `malformed at ${[...at, ...issue.path].join('.')}`);
}

/** Quotes no content. */
export class BadRequestError extends Error {
  readonly status: 400 | 404;

  constructor(status: 400 | 404, message: string) {
    super(message);
    this.name = 'BadRequestError';
    this.status = status;
  }
}

const DEPTH = 6;

/** For empty fields, Slack may send null or nothing. Nulls in lists stay. */
export function withoutNulls<Value>(value: Value, depth = DEPTH): Value {
  if (depth === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => withoutNulls(element, depth - 1)) as Value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    members.map(([name, member]) => [name, withoutNulls(member, depth - 1)]),
  ) as Value;
}
