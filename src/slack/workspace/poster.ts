import type { ModalView } from '@slack/types';
import type { WebAPICallResult } from '@slack/web-api';
import { isWaitOn } from '#jobs/schedule/schedule.ts';
import type { Clock } from '#runtime/clock.ts';
import {
  CLOCK_SKEW_MS,
  callBlockId,
  isPostOf,
  METADATA_EVENT_TYPE,
  type MessageEvent,
} from '../messages/message-event.ts';
import { AGENT_SCOPE, type GrantedScopes, grantedIn } from '../protocol/scopes.ts';
import type { SlackMessage } from '../views/message.ts';
import type { SharedChannels } from './access.ts';
import {
  againIfFailed,
  failureIn,
  isRefusal,
  LONGEST_RETRY_AFTER_MS,
  rateLimited,
  SlackCallError,
  type SlackCaller,
  slackFailure,
} from './caller.ts';

const PAGE_SIZE = 200;
const MAX_PAGES = 20;
/** Our code. */
export const TOO_MANY_MESSAGES = 'too_many_messages';
const OUTPUTS_REFUSED = 'parameter_validation_failed';
const STEP_OVER = 'execution_not_in_running_state';
const ALREADY_SO = new Set(['already_reacted', 'no_reaction']);

/** Slack ignores these when a message is edited. */
const NO_UNFURLS = { unfurl_links: false, unfurl_media: false } as const;

interface Place {
  readonly channelId: string;
  readonly threadTs: string | null;
}

/** `threadTs` null outside threads: Slack shows no ephemeral message in a thread without replies. */
export type Seat = Place & { readonly userId: string };

export interface Post extends Place {
  /** Sent in the message for `find`. */
  readonly callId: string;
  readonly message: SlackMessage;
}

export type SessionState = 'processing' | 'suspended' | 'active' | 'closed';

export type Completion = { readonly executionId: string } & (
  | { readonly outputs: Readonly<Record<string, string>> }
  | { readonly error: string }
);

type Answer = WebAPICallResult &
  Readonly<{
    ts?: string;
    permalink?: string;
    view?: { readonly id?: string };
    channel?:
      | string
      | { readonly is_private?: boolean; readonly is_im?: boolean; readonly is_mpim?: boolean };
    messages?: readonly Partial<MessageEvent>[];
  }>;

/**
 * Every method throws SlackCallError. Channels shared with another organisation are closed, except for
 * answers to single people.
 * @param callSlack must not retry: a repeated post is a second message. Omits null arguments
 */
export function createPoster(
  callSlack: SlackCaller,
  clock: Clock,
  fetchAnswer: typeof fetch,
  shared: Pick<SharedChannels, 'mustBeOpen'>,
) {
  const gate = new RateGate();
  let granted: GrantedScopes = null;

  async function call(method: string, args: Readonly<Record<string, unknown>>) {
    const channelId = typeof args.channel === 'string' ? args.channel : null;
    const waitMs = gate.waitMs(method, channelId, clock.now());
    if (waitMs > 0) throw new SlackCallError(method, rateLimited(waitMs));
    try {
      const answer = await callSlack<Answer>(method, args);
      if (args.token == null) granted = grantedIn(answer) ?? granted;
      return answer;
    } catch (error) {
      const failure = failureIn(error);
      if (ALREADY_SO.has(failure.code)) return { ok: true };
      if (failure.retryAfterMs === null) throw error;
      const nowMs = clock.now();
      const retryAfterMs = gate.waitMs(method, channelId, nowMs, nowMs + failure.retryAfterMs);
      throw new SlackCallError(method, { ...failure, retryAfterMs }, error);
    }
  }

  async function callIn(channel: string, method: string, args: object) {
    await shared.mustBeOpen(channel);
    return call(method, { channel, ...args });
  }

  async function readPage({ channelId: channel, threadTs }: Place, args: object, cursor: string | null) {
    const request = { ...args, channel, ts: threadTs, cursor, limit: PAGE_SIZE };
    const answer = await againIfFailed(() => call(methodFor(threadTs), request));
    const messages = (answer.messages ?? []).flatMap((message): MessageEvent[] =>
      message.ts === undefined ? [] : [{ ...message, ts: message.ts, channel }],
    );
    return { messages, cursor: answer.response_metadata?.next_cursor || null };
  }

  async function* readPages(place: Place, args: object, start: string | null) {
    let cursor = start;
    for (let count = 0; count < MAX_PAGES; count += 1) {
      const page = await readPage(place, args, cursor);
      yield page;
      cursor = page.cursor;
      if (cursor === null) return;
    }
    throw new SlackCallError(methodFor(place.threadTs), slackFailure('retry', TOO_MANY_MESSAGES));
  }

  /** Falls back to a direct message. @param place where Slack shows an answer to `responseUrl` */
  async function respondPrivately(
    userId: string,
    responseUrl: string | null,
    message: SlackMessage,
    place: object = { response_type: 'ephemeral' },
  ) {
    if (responseUrl !== null && (await respond(responseUrl, { ...place, ...message }))) return;
    await call('chat.postMessage', { channel: userId, ...message, ...NO_UNFURLS });
  }

  async function respond(responseUrl: string, message: object) {
    try {
      const response = await fetchAnswer(responseUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(message),
      });
      const answer = (await response.text()).trim();
      // Slack answers `ok` or `{"ok":true}`; a proxy's page also has status 200.
      return response.ok && /^(ok|\{\s*"ok"\s*:\s*true\b.*)?$/s.test(answer);
    } catch {
      return false;
    }
  }

  /** Slack shows it only to a person who is there now. */
  function postEphemeral({ channelId: channel, threadTs, userId: user }: Seat, message: SlackMessage) {
    return call('chat.postEphemeral', { channel, thread_ts: threadTs, user, ...message });
  }

  /**
   * May be repeated. Returns whose token worked; `over`: the step was completed before, or its workflow was
   * cancelled. @param token the step's own; null: the bot's
   */
  async function completeStep(completion: Completion, token: string | null) {
    const { executionId: function_execution_id, ...result } = completion;
    try {
      const method = `functions.complete${'error' in result ? 'Error' : 'Success'}`;
      await call(method, { function_execution_id, ...result, token });
      return token === null ? 'bot' : 'event';
    } catch (error) {
      const { code, needsAdmin } = failureIn(error);
      // Slack does not document whether it accepts an empty output: omit it after a refusal.
      const outputs = Object.entries('outputs' in completion ? completion.outputs : {});
      if (code === OUTPUTS_REFUSED && outputs.some(([, value]) => value === '')) {
        const given = Object.fromEntries(outputs.filter(([, value]) => value !== ''));
        return completeStep({ ...completion, outputs: given }, token);
      }
      if (token !== null && needsAdmin) return completeStep(completion, null);
      if (code === STEP_OVER) return 'over';
      throw error;
    }
  }

  return {
    post: async ({ channelId, threadTs, callId, message }: Post): Promise<string> => {
      const metadata = { event_type: METADATA_EVENT_TYPE, event_payload: { call_id: callId } };
      const post = { thread_ts: threadTs, ...marked(message, callId), metadata, ...NO_UNFURLS };
      return String((await callIn(channelId, 'chat.postMessage', post)).ts);
    },

    /**
     * Finds a post of unknown outcome, sent between the two times. @param look the progress: a repeated
     * search continues there
     */
    find: async (
      post: Omit<Post, 'message'>,
      sinceMs: number,
      untilMs: number,
      look: { cursor: string | null } = { cursor: null },
    ): Promise<string | null> => {
      const oldest = ((sinceMs - CLOCK_SKEW_MS) / 1000).toFixed(6);
      const latest = ((untilMs + CLOCK_SKEW_MS) / 1000).toFixed(6);
      const args = { oldest, latest, include_all_metadata: true };
      for await (const { messages, cursor } of readPages(post, args, look.cursor)) {
        const found = messages.find((message) => isPostOf(message, post.callId));
        if (found !== undefined) return found.ts;
        look.cursor = cursor;
      }
      return null;
    },

    /** Oldest first; always with the root. */
    thread: async (channelId: string, threadTs: string, oldest?: string): Promise<MessageEvent[]> => {
      const pages = await Array.fromAsync(
        readPages({ channelId, threadTs }, { oldest, inclusive: true }, null),
      );
      return pages.flatMap(({ messages }) => messages);
    },

    threadPage: (
      channelId: string,
      threadTs: string,
      { oldestTs: oldest, cursor }: { readonly oldestTs: string; readonly cursor: string | null },
    ) => readPage({ channelId, threadTs }, { oldest, inclusive: true }, cursor),

    update: (channelId: string, ts: string, message: SlackMessage, callId?: string) =>
      callIn(channelId, 'chat.update', { ts, ...(callId === undefined ? message : marked(message, callId)) }),

    addReaction: (channel: string, timestamp: string, name: string) =>
      callIn(channel, 'reactions.add', { timestamp, name }),

    removeReaction: (channel: string, timestamp: string, name: string) =>
      call('reactions.remove', { channel, timestamp, name }),

    /** Slack ends `processing` after an hour. */
    setSessionState: async (channelId: string, threadTs: string, status: SessionState): Promise<void> => {
      if (granted?.has(AGENT_SCOPE) === false) return;
      await shared.mustBeOpen(channelId);
      await call('agents.sessions.setStatus', { channel_id: channelId, thread_ts: threadTs, status });
    },

    completeStep,

    /** A reply's link also names its thread's root. */
    permalink: async (channel: string, message_ts: string): Promise<string> =>
      String((await call('chat.getPermalink', { channel, message_ts })).permalink),

    /** Slack hides private channels from the app. */
    isPublic: async (channelId: string): Promise<boolean> => {
      const { channel } = await againIfFailed(() => call('conversations.info', { channel: channelId }));
      return (
        typeof channel === 'object' && channel.is_private === false && !channel.is_im && !channel.is_mpim
      );
    },

    respondPrivately,
    postEphemeral,

    /** `elsewhere` goes out as a direct message if Slack refuses the ephemeral one. */
    replyPrivately: async (seat: Seat, message: SlackMessage, elsewhere = message): Promise<void> => {
      try {
        await postEphemeral(seat, message);
      } catch (error) {
        if (!isRefusal(failureIn(error))) throw error;
        await respondPrivately(seat.userId, null, elsewhere);
      }
    },

    /** Slack accepts the trigger once, within three seconds. */
    openModal: async (trigger_id: string, view: ModalView): Promise<string> =>
      String((await call('views.open', { trigger_id, view })).view?.id),

    updateModal: (view_id: string, view: ModalView) => call('views.update', { view_id, view }),

    publishHome: async (user_id: string, { blocks }: SlackMessage): Promise<void> => {
      await call('views.publish', { user_id, view: { type: 'home', blocks } });
    },
  };
}

function marked({ text, blocks: [first, ...rest] }: SlackMessage, callId: string): SlackMessage {
  return { text, blocks: first === undefined ? [] : [{ ...first, block_id: callBlockId(callId) }, ...rest] };
}

function methodFor(threadTs: string | null): string {
  return threadTs === null ? 'conversations.history' : 'conversations.replies';
}

/** Slack accepts about one message a second per channel, and 50 calls a minute of most methods. */
const POST_SPACING_MS = 1_000;
const CALL_SPACING_MS = 1_200;

/**
 * Holds a method (posts: per channel) back after a 429. Calls that met the limit, or wait for its end, return
 * one by one. https://docs.slack.dev/apis/web-api/rate-limits
 */
export class RateGate {
  private readonly holds = new Map<string, Readonly<{ untilMs: number; waiting: number }>>();

  /** Takes a turn. @param limitedUntilMs after a 429 */
  waitMs(method: string, channelId: string | null, nowMs: number, limitedUntilMs = 0): number {
    for (const [key, { untilMs }] of this.holds) {
      if (!isWaitOn(untilMs, LONGEST_RETRY_AFTER_MS, nowMs)) this.holds.delete(key);
    }
    const isPost = method === 'chat.postMessage';
    const key = isPost ? `${method} ${channelId}` : method;
    const { untilMs, waiting } = this.holds.get(key) ?? { untilMs: 0, waiting: 0 };
    const heldUntilMs = Math.max(untilMs, limitedUntilMs);
    if (heldUntilMs === 0) return 0;
    this.holds.set(key, { untilMs: heldUntilMs, waiting: waiting + 1 });
    return heldUntilMs - nowMs + waiting * (isPost ? POST_SPACING_MS : CALL_SPACING_MS);
  }
}
