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

/** How Slack delivers it: as JSON, as a form, or as JSON in a form. */
export type Payload =
  | { readonly kind: 'event' | 'interaction'; readonly fields: Fields }
  | { readonly kind: 'command'; readonly fields: Fields };

const BOT = '<@U0BOT> ';
const THREAD_TS = '1700000000.000100';
const common = {
  api_app_id: 'A1',
  token: 'x',
  team: { id: TEAM },
  enterprise: null,
  is_enterprise_install: false,
};

function command(said: Said): Payload {
  const fields = {
    command: '/docs-agent',
    text: said.text,
    team_id: TEAM,
    user_id: said.user,
    channel_id: said.channel,
    trigger_id: `trigger.${said.number}`,
    response_url: NO_ADDRESS,
  };
  return { kind: 'command', fields };
}

function message({ number, text, user, channel, inThread }: Said, more: Fields = {}): Fields {
  return {
    type: 'message',
    channel,
    channel_type: 'channel',
    user,
    text,
    ts: `${FIRST_TS + number}.000100`,
    client_msg_id: `client-${number}`,
    ...(inThread ? { thread_ts: THREAD_TS } : {}),
    files: [
      {
        mode: 'snippet',
        mimetype: 'text/plain',
        name: text.slice(0, 50),
        url_private: 'http://evil.example/',
      },
    ],
    ...more,
  };
}

function event(number: number, inner: Fields): Payload {
  const authorizations = [{ team_id: TEAM, enterprise_id: null, is_enterprise_install: false }];
  const event_time = Math.floor(Date.now() / 1000);
  const outer = {
    type: 'event_callback',
    team_id: TEAM,
    event_id: `Ev${number}`,
    event_time,
    authorizations,
  };
  return { kind: 'event', fields: { ...outer, event: inner } };
}

function changed(said: Said): Payload {
  const { channel, ...inner } = message(said, { thread_ts: THREAD_TS, edited: { ts: `${FIRST_TS}.2` } });
  const subtype = said.number % 2 === 0 ? 'message_changed' : 'message_deleted';
  const ts = `${FIRST_TS + said.number}.000200`;
  return event(said.number, {
    type: 'message',
    subtype,
    channel: channel ?? null,
    ts,
    message: inner,
    previous_message: inner,
  });
}

function interaction(number: number, user: string, more: Fields): Payload {
  return {
    kind: 'interaction',
    fields: { ...common, user: { id: user }, trigger_id: `trigger.${number}`, ...more },
  };
}

const actions = Object.values(buttons).map(({ id }) => id);

function press({ number, text, user, channel }: Said): Payload {
  const action_id = actions[number % actions.length] ?? '';
  return interaction(number, user, {
    type: 'block_actions',
    response_url: NO_ADDRESS,
    channel: { id: channel },
    container: { type: 'message', channel_id: channel, message_ts: THREAD_TS },
    message: { ts: THREAD_TS, thread_ts: THREAD_TS },
    actions: [
      { type: 'button', action_id, block_id: 'b', value: JSON.stringify({ jobId: text, creates: 1 }) },
    ],
  });
}

function shortcut({ number, text, user, channel }: Said): Payload {
  return interaction(number, user, {
    type: 'message_action',
    callback_id: ASK_SHORTCUT_ID,
    response_url: NO_ADDRESS,
    channel: { id: channel },
    message: { ts: THREAD_TS, text, user },
  });
}

const views = Object.values(viewIds);
const dataOf = (channelId: string, jobId: string) =>
  JSON.stringify({
    channelId,
    responseUrl: null,
    jobId,
    threadTs: THREAD_TS,
    messageTs: THREAD_TS,
    oldestTs: '1.1',
    permalink: null,
  });

function form({ number, text, user, channel }: Said): Payload {
  const field = (value: Json) => ({ field: value });
  const values = Object.fromEntries(
    Object.values(formIds).map((id) => [
      id,
      { [id]: { type: 'plain_text_input', value: text, ...field(1) } },
    ]),
  );
  return interaction(number, user, {
    type: 'view_submission',
    view: {
      id: `V${number}`,
      type: 'modal',
      callback_id: views[number % views.length] ?? '',
      private_metadata: dataOf(channel, text),
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
  (said) =>
    event(said.number, { type: 'app_home_opened', user: said.user, tab: 'home', channel: said.channel }),
  (said) => event(said.number, { type: said.text, user: said.user }),
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
