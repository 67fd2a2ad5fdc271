import { z } from 'zod';
import { GestureRefusedError } from './refused.ts';

/**
 * Slack's ids are short words, or empty where there is none. What is longer or holds other characters is no id, and
 * no store need take it.
 */
const id = z.string().regex(/^[\w.:-]{0,255}$/);
const ts = z.string().regex(/^\d{1,20}\.\d{1,20}$/);
/** Names a gesture, by whatever word. */
const key = z.string().min(1).max(1_000);
const text = z.string();
const present = z.looseObject({});
/** Of one of them Bolt takes the others for granted. */
const absent = z.undefined().optional();

const team = z.looseObject({ id: id.nullish() });
const block = z.looseObject({ type: text, block_id: text.optional() });

/** Where it happened, and where the app is installed. */
const installed = {
  team_id: id.nullish(),
  enterprise_id: id.nullish(),
  context_team_id: id.nullish(),
  team: team.nullish(),
  enterprise: team.nullish(),
  authorizations: z.array(z.looseObject({ team_id: id.nullish(), enterprise_id: id.nullish() })).nullish(),
};

const said = z.looseObject({
  subtype: text.optional(),
  bot_id: text.nullish(),
  user: id.nullish(),
  username: text.nullish(),
  text: text.nullish(),
  ts,
  thread_ts: ts.optional(),
  parent_user_id: id.nullish(),
  client_msg_id: key.optional(),
  edited: z.looseObject({ ts: ts.optional() }).optional(),
});

/** Bolt looks into these of any event, and fails on null. */
const looked = {
  user: z.union([id, present]).optional(),
  channel: z.union([id, present]).optional(),
  item: present.optional(),
  subteam: present.optional(),
};

const message = said.extend({
  ...looked,
  type: z.enum(['message', 'app_mention']),
  user: id.optional(),
  channel: id,
  channel_type: text.optional(),
  message: said.optional(),
  previous_message: said.optional(),
});

/** Tells of another message: its own time is of no use. */
const change = message.extend({ subtype: z.enum(['message_changed', 'message_deleted']), ts: ts.optional() });

const homeOpened = z.looseObject({ ...looked, type: z.literal('app_home_opened'), user: id });

const otherEvent = z.looseObject({
  ...looked,
  type: text.refine((type) => !['message', 'app_mention', 'app_home_opened'].includes(type)),
});

const event = z.looseObject({
  ...installed,
  type: z.literal('event_callback'),
  event: z.union([message, change, homeOpened, otherEvent]),
  event_id: key,
  event_time: z.number().optional(),
});

const command = z.looseObject({
  ...installed,
  command: text,
  text,
  user_id: id,
  channel_id: id,
  trigger_id: key,
  response_url: text,
  event: absent,
});

/** What people do with blocks, messages and forms. */
const interaction = {
  ...installed,
  user: z.looseObject({ id, team_id: id.nullish() }),
  response_urls: z.array(present).optional(),
  event: absent,
  command: absent,
  name: absent,
};

const view = z.looseObject({
  id,
  app_installed_team_id: id.nullish(),
  type: text,
  blocks: z.array(block),
});

const press = z.looseObject({
  ...interaction,
  type: z.literal('block_actions'),
  trigger_id: key,
  response_url: text.nullish(),
  actions: z.array(z.looseObject({ type: text, action_id: text, value: text.nullish() })).min(1),
  channel: z.looseObject({ id: id.nullish() }).optional(),
  container: z.looseObject({ thread_ts: ts.nullish() }).nullish(),
  message: z.looseObject({ thread_ts: ts.nullish() }).nullish(),
  view: view.optional(),
});

const shortcut = z.looseObject({
  ...interaction,
  type: z.literal('message_action'),
  trigger_id: key,
  response_url: text,
  callback_id: text,
  channel: z.looseObject({ id }),
  message: z.looseObject({ ts, text: text.nullish() }),
  actions: absent,
});

const option = z.looseObject({ value: text });
const filledIn = z.looseObject({
  value: text.nullish(),
  selected_option: option.nullish(),
  selected_options: z.array(option).nullish(),
  selected_conversation: id.nullish(),
  selected_conversations: z.array(id).nullish(),
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
 * Throws GestureRefusedError if what Slack sent is nothing that the program knows, or has not the shape that the
 * listeners rely on. Slack signs what it sends, so a wrong shape is a change of Slack's, or somebody who has the
 * signing secret; neither may break anything.
 */
export function checkShape(body: object): void {
  const { type, command: name } = body as { readonly type?: unknown; readonly command?: unknown };
  const kind = typeof type === 'string' && Object.hasOwn(shapes, type) ? type : null;
  const shape = kind === null ? (name === undefined ? undefined : command) : shapes[kind];
  if (shape === undefined) throw new GestureRefusedError(404, 'nothing that the program knows');
  const issue = shape.safeParse(body).error?.issues[0];
  if (issue !== undefined) throw new GestureRefusedError(400, `malformed at ${issue.path.join('.')}`);
}
