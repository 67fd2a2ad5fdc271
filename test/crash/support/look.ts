import { localApp } from '../../../demo/local-slack/workspace.ts';
import type { Job } from '../../../src/jobs/job.ts';
import { unescaped } from '../../../src/jobs/requests/command.ts';
import { callBlockId } from '../../../src/slack/messages/message-event.ts';
import { decodeButton } from '../../../src/slack/views/buttons.ts';
import type { SlackMessage } from '../../support/local-slack.ts';
import type { Seen, SeenMessage } from './checker/seen.ts';
import type { Outside } from './outside.ts';
import type { StoreReader } from './store-reader.ts';

/** The world as it is now, for the checker. */
export async function lookAt({ slack, api, places }: Outside, store: StoreReader): Promise<Seen> {
  const channels = await Promise.all(places.map((channel) => slack.messages(channel)));
  const calls = await store.query('select id, kind, state, request from call order by seq');
  const followUps = await store.query('select text, state from follow_up order by message_ts');
  const jobs = await store.query('select data from job');
  const asked = new Map(jobs.flatMap(({ data }) => offersOf(JSON.parse(String(data)))));
  return {
    messages: channels.flat().map((message) => seenMessage(message, asked)),
    agentJobs: api.jobs.map(({ prompts }) => prompts),
    calls: calls.map(({ id, kind, state, request }) => ({
      id: String(id),
      kind: String(kind),
      state: String(state),
      prompt: JSON.parse(String(request)).prompt ?? null,
    })),
    followUps: followUps.map(({ text, state }) => ({ text: unescaped(String(text)), state: String(state) })),
  };
}

/** The posts that ask about a call, with its id. */
function offersOf({ offers = [] }: Job): [postId: string, callId: string][] {
  return offers.flatMap(({ postId, about }) =>
    'callId' in about && about.callId != null ? [[postId, about.callId]] : [],
  );
}

/** @param asked what a message asks, or asked before somebody decided it */
function seenMessage(message: SlackMessage, asked: ReadonlyMap<string, string>): SeenMessage {
  const { channel, ts, user, text, thread_ts: threadTs, blocks = [], reactions = [] } = message;
  const callIds = blocks.flatMap(({ block_id = '' }) =>
    block_id.startsWith(callBlockId('')) ? block_id.slice(callBlockId('').length) : [],
  );
  const offered = blocks.flatMap(({ elements = [] }) =>
    elements.flatMap(({ value }) => decodeButton(value ?? '')?.callId ?? []),
  );
  return {
    channel,
    ts,
    threadTs: threadTs ?? null,
    text,
    isBot: user === localApp.botUserId,
    isPrivate: message.subtype === 'ephemeral',
    callId: callIds[0] ?? null,
    offers: [...new Set([...offered, ...callIds.flatMap((id) => asked.get(id) ?? [])])],
    reactions: reactions.map(({ name }) => name),
  };
}
