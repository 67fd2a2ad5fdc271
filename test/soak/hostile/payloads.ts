import { ASK_SHORTCUT_ID, formIds, viewIds } from '../../../src/slack/protocol/ids.ts';
import { buttons } from '../../../src/slack/views/buttons.ts';
import { fc } from '../../support/properties.ts';
import { hostileText, type Json } from './values.ts';

const TEAM = 'T0TEAM';
/** On Slack's host, as the program has it; but nothing listens there. */
const NO_ADDRESS = 'http://127.0.0.1:2/response';
const FIRST_TS = 1_900_000_000;

/** What a request says, and who makes it where. `number` makes it a request of its own. */
interface Said {
  readonly number: number;
  readonly text: string;
  readonly user: string;
  readonly channel: string;
  readonly inThread: boolean;
}

type Fields = Readonly<Record<string, Json>>;

/** How Slack delivers it: as JSON, as JSON in a form, or as a form. */
export type Payload = { readonly kind: 'event' | 'interaction' | 'command'; readonly fields: Fields };

const BOT = '<@U0BOT> ';
const THREAD_TS = '1700000000.000100';
const installation = { team_id: TEAM, enterprise_id: null, is_enterprise_install: false };

function command({ number, text, user, channel }: Said): Payload {
  const who = { team_id: TEAM, user_id: user, channel_id: channel };
  const answers = { trigger_id: `trigger.${number}`, response_url: NO_ADDRESS };
  return { kind: 'command', fields: { command: '/docs-agent', text, ...who, ...answers } };
}

function message({ number, text, user, channel, inThread }: Said, more: Fields = {}): Fields {
  const file = { mode: 'snippet', mimetype: 'text/plain', url_private: 'http://evil.example/' };
  return {
    ...{ type: 'message', channel_type: 'channel', channel, user, text },
    ...{ ts: `${FIRST_TS + number}.000100`, client_msg_id: `client-${number}` },
    ...(inThread ? { thread_ts: THREAD_TS } : {}),
    files: [{ ...file, name: text.slice(0, 50) }],
    ...more,
  };
}

function event(number: number, inner: Fields): Payload {
  const outer = { type: 'event_callback', team_id: TEAM, event_id: `Ev${number}` };
  const event_time = Math.floor(Date.now() / 1000);
  return { kind: 'event', fields: { ...outer, event_time, authorizations: [installation], event: inner } };
}

function changed(said: Said): Payload {
  const { channel = null, ...inner } = message(said, {
    thread_ts: THREAD_TS,
    edited: { ts: `${FIRST_TS}.2` },
  });
  const subtype = said.number % 2 === 0 ? 'message_changed' : 'message_deleted';
  const ts = `${FIRST_TS + said.number}.000200`;
  const both = { message: inner, previous_message: inner };
  return event(said.number, { type: 'message', subtype, channel, ts, ...both });
}

function interaction({ number, user, channel }: Said, more: Fields): Payload {
  const common = { api_app_id: 'A1', token: 'x', team: { id: TEAM }, enterprise: null };
  const who = { user: { id: user }, channel: { id: channel }, is_enterprise_install: false };
  const answers = { trigger_id: `trigger.${number}`, response_url: NO_ADDRESS };
  return { kind: 'interaction', fields: { ...common, ...who, ...answers, ...more } };
}

const actions = Object.values(buttons).map(({ id }) => id);

function press(said: Said): Payload {
  const action_id = actions[said.number % actions.length] ?? '';
  const value = JSON.stringify({ jobId: said.text, creates: 1 });
  return interaction(said, {
    type: 'block_actions',
    container: { type: 'message', channel_id: said.channel, message_ts: THREAD_TS },
    message: { ts: THREAD_TS, thread_ts: THREAD_TS },
    actions: [{ type: 'button', action_id, block_id: 'b', value }],
  });
}

function shortcut(said: Said): Payload {
  const about = { ts: THREAD_TS, text: said.text, user: said.user };
  return interaction(said, { type: 'message_action', callback_id: ASK_SHORTCUT_ID, message: about });
}

const views = Object.values(viewIds);

function form(said: Said): Payload {
  const { number, text, channel } = said;
  const input = { type: 'plain_text_input', value: text };
  const values = Object.fromEntries(
    Object.values(formIds).map((id) => [id, { [id]: { ...input, field: 1 } }]),
  );
  const times = { threadTs: THREAD_TS, messageTs: THREAD_TS, oldestTs: '1.1' };
  const data = { channelId: channel, responseUrl: null, jobId: text, permalink: null, ...times };
  return interaction(said, {
    type: 'view_submission',
    view: {
      ...{ id: `V${number}`, type: 'modal', callback_id: views[number % views.length] ?? '' },
      private_metadata: JSON.stringify(data),
      blocks: [{ type: 'input', block_id: formIds.prompt }],
      state: { values },
    },
  });
}

const kinds: readonly ((said: Said) => Payload)[] = [
  command,
  (said) => event(said.number, message(said)),
  (said) => event(said.number, message(said, { channel_type: 'im' })),
  (said) => event(said.number, message(said, { type: 'app_mention', text: BOT + said.text })),
  ({ number, user, channel }) => event(number, { type: 'app_home_opened', user, tab: 'home', channel }),
  ({ number, text, user }) => event(number, { type: text, user }),
  changed,
  press,
  shortcut,
  form,
];

/** A payload as Slack would send it, with hostile words. `mark` is part of the text. */
export function payloads(number: number, mark: string): fc.Arbitrary<Payload> {
  return fc
    .record({
      make: fc.constantFrom(...kinds),
      text: hostileText,
      user: fc.constantFrom('U0ALICE', 'U0BOB', 'U0CAROL'),
      channel: fc.constantFrom('C0GENERAL', 'C0RANDOM', 'D0ALICE'),
      inThread: fc.boolean(),
    })
    .map(({ make, text, ...who }) => make({ ...who, number, text: mark + text }));
}
