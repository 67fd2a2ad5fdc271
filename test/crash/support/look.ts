import { localApp } from '../../../demo/local-slack/workspace.ts';
import { callIdOfBlock, decodeButton } from '../../../src/slack/protocol/ids.ts';
import type { SlackMessage } from '../../support/local-slack.ts';
import type { Seen, SeenMessage } from './checker/seen.ts';
import type { Outside } from './outside.ts';
import type { StoreReader } from './store-reader.ts';

/** The world as it is now, for the checker. */
export async function lookAt({ slack, api, places }: Outside, store: StoreReader): Promise<Seen> {
  const channels = await Promise.all(places.map((channel) => slack.messages(channel)));
  const calls = await store.query('select id, kind, state, request from call order by seq');
  const followUps = await store.query('select text, state from follow_up order by message_ts');
  return {
    messages: channels.flat().map(seenMessage),
    agentJobs: api.jobs.map(({ prompts }) => prompts),
    calls: calls.map(({ id, kind, state, request }) => ({
      id: String(id),
      kind: String(kind),
      state: String(state),
      prompt: JSON.parse(String(request)).prompt ?? null,
    })),
    followUps: followUps.map(({ text, state }) => ({ text: String(text), state: String(state) })),
  };
}

function seenMessage(message: SlackMessage): SeenMessage {
  const { channel, ts, user, text, thread_ts: threadTs, blocks = [], reactions = [] } = message;
  const callIds = blocks.flatMap(({ block_id = '' }) => callIdOfBlock(block_id) ?? []);
  return {
    channel,
    ts,
    threadTs: threadTs ?? null,
    text,
    isBot: user === localApp.botUserId,
    isPrivate: message.subtype === 'ephemeral',
    callId: callIds[0] ?? null,
    offers: blocks.flatMap(({ elements = [] }) =>
      elements.flatMap(({ value }) => decodeButton(value ?? '')?.callId ?? []),
    ),
    reactions: reactions.map(({ name }) => name),
  };
}
