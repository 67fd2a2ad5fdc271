import type { KnownBlock, ModalView } from '@slack/types';
import type { WebAPICallResult } from '@slack/web-api';
import type { Clock } from '../../engine/runtime/clock.ts';
import { isWaitOn } from '../../jobs/schedule/schedule.ts';
import type { SessionState } from '../../jobs/shown/lists.ts';
import { CLOCK_SKEW_MS } from '../messages/message-event.ts';
import { callBlockId, type FoundMessage, isPostOf, METADATA_EVENT_TYPE } from '../messages/post-mark.ts';
import { isStepOver } from '../protocol/error-codes.ts';
import { AGENT_SCOPE, type GrantedScopes, grantedIn } from '../protocol/scopes.ts';
import type { SlackMessage } from '../views/parts/message.ts';
import type { SharedChannels } from './access.ts';
import { againIfFailed, type SlackCaller, type ThreadMessage } from './web-api/caller.ts';
import {
  LONGEST_RETRY_AFTER_MS,
  rateLimited,
  SlackCallError,
  saidNo,
  slackFailure,
} from './web-api/failure.ts';
import { respond } from './web-api/http.ts';

const PAGE_SIZE = 200;
const MAX_PAGES = 20;
/** Our code for more than 4,000 messages, which are not read to their end. */
export const TOO_MANY_MESSAGES = 'too_many_messages';
const OUTPUTS_REFUSED = 'parameter_validation_failed';
/** Answers that mean "it is so already". */
const ALREADY_SO = new Set(['already_reacted', 'no_reaction']);

/**
 * Our messages say where a link leads. Slack takes this only when a message is posted, not when it is edited.
 */
const NO_UNFURLS = { unfurl_links: false, unfurl_media: false } as const;

/** A channel or, in it, a thread. */
interface Place {
  readonly channelId: string;
  readonly threadTs: string | null;
}

export interface Post extends Place {
  /** The ledger's id of this post; it travels with the message, so that `find` can recognise it. */
  readonly callId: string;
  readonly message: SlackMessage;
}

export type Completion = { readonly executionId: string } & (
  | { readonly kind: 'success'; readonly outputs: Readonly<Record<string, string>> }
  | { readonly kind: 'error'; readonly error: string }
);

/** The fields read from Slack's answers; which are present depends on the method. */
interface Answer extends WebAPICallResult {
  readonly ts?: string;
  readonly permalink?: string;
  readonly view?: { readonly id?: string };
  readonly channel?:
    | string
    | { readonly is_private?: boolean; readonly is_im?: boolean; readonly is_mpim?: boolean };
  readonly messages?: readonly FoundMessage[];
}

export type Poster = ReturnType<typeof createPoster>;

/**
 * The only place that writes to a Slack workspace. Every method throws SlackCallError. In a channel that is
 * shared with another organisation, it answers only single people.
 * @param callSlack must not retry by itself: a repeated post is a doubled message
 * @param fetchAnswer for a `response_url`, see `answerFetch`
 */
export function createPoster(
  callSlack: SlackCaller,
  clock: Clock,
  fetchAnswer: typeof fetch,
  shared: Pick<SharedChannels, 'mustBeOpen'>,
) {
  const gate = new RateGate();
  /** From the latest answer. */
  let granted: GrantedScopes = null;

  async function call(method: string, args: Readonly<Record<string, unknown>>): Promise<Answer> {
    const channelId = typeof args.channel === 'string' ? args.channel : null;
    const waitMs = gate.waitMs(method, channelId, clock.now());
    if (waitMs > 0) throw new SlackCallError(method, rateLimited(waitMs), null);
    try {
      const answer = await callSlack<Answer>(method, args);
      if (args.token === undefined) granted = grantedIn(answer) ?? granted;
      return answer;
    } catch (error) {
      if (!(error instanceof SlackCallError)) throw error;
      const { failure } = error;
      if (ALREADY_SO.has(failure.code)) return { ok: true };
      if (failure.retryAfterMs === null) throw error;
      const nowMs = clock.now();
      const retryAfterMs = gate.hold(method, channelId, nowMs + failure.retryAfterMs, nowMs);
      throw new SlackCallError(method, { ...failure, retryAfterMs }, error);
    }
  }

  /** One page of messages. `cursor`: where the next one begins; null: this is the last. */
  async function readPage(place: Place, args: object, cursor: string | null) {
    const { channelId: channel, threadTs } = place;
    const from = { ...(threadTs !== null && { ts: threadTs }), ...(cursor !== null && { cursor }) };
    const request = { ...args, channel, ...from, limit: PAGE_SIZE };
    const { messages = [], response_metadata: more } = await againIfFailed(() =>
      call(methodFor(place), request),
    );
    return { messages, cursor: more?.next_cursor || null };
  }

  /** All pages, to the end or to our limit. */
  async function* readPages(place: Place, args: object, start: string | null) {
    let cursor = start;
    for (let count = 0; count < MAX_PAGES; count += 1) {
      const page = await readPage(place, args, cursor);
      yield page;
      cursor = page.cursor;
      if (cursor === null) return;
    }
    throw new SlackCallError(methodFor(place), slackFailure('retry', TOO_MANY_MESSAGES), null);
  }

  async function permalink(channelId: string, ts: string): Promise<string> {
    return String((await call('chat.getPermalink', { channel: channelId, message_ts: ts })).permalink);
  }

  async function respondPrivately(
    userId: string,
    responseUrl: string | null,
    message: SlackMessage,
  ): Promise<void> {
    if (responseUrl !== null && (await respond(fetchAnswer, responseUrl, message))) return;
    const { text, blocks } = message;
    await call('chat.postMessage', { channel: userId, text, blocks, ...NO_UNFURLS });
  }

  async function postEphemeral(
    { channelId, threadTs, userId }: Place & { readonly userId: string },
    { text, blocks }: SlackMessage,
  ): Promise<void> {
    const thread = threadTs === null ? {} : { thread_ts: threadTs };
    await call('chat.postEphemeral', { channel: channelId, ...thread, user: userId, text, blocks });
  }

  async function completeOnce(completion: Completion, token: string | null): Promise<void> {
    const { executionId, kind } = completion;
    const result = kind === 'error' ? { error: completion.error } : { outputs: completion.outputs };
    await call(`functions.complete${kind === 'error' ? 'Error' : 'Success'}`, {
      function_execution_id: executionId,
      ...result,
      ...(token === null ? {} : { token }),
    });
  }

  /**
   * Completes a workflow's step. A second time changes nothing. Returns whose token completed it; `over`: it
   * was completed before, or its workflow was cancelled.
   * @param token the one that came with the step, if it may still be valid; otherwise the bot's is used
   */
  async function completeStep(
    completion: Completion,
    token: string | null,
  ): Promise<'event' | 'bot' | 'over'> {
    try {
      await completeOnce(completion, token);
      return token === null ? 'bot' : 'event';
    } catch (error) {
      if (!(error instanceof SlackCallError)) throw error;
      const { code, needsAdmin } = error.failure;
      const outputs = completion.kind === 'success' ? Object.entries(completion.outputs) : [];
      const given = outputs.filter(([, value]) => value !== '');
      // Slack does not document whether it takes an empty output, so it is left out after a refusal.
      if (code === OUTPUTS_REFUSED && completion.kind === 'success' && given.length < outputs.length) {
        return completeStep({ ...completion, outputs: Object.fromEntries(given) }, token);
      }
      // The step's token has expired; the bot's may work.
      if (token !== null && needsAdmin) return completeStep(completion, null);
      if (isStepOver(code)) return 'over';
      throw error;
    }
  }

  return {
    post: async ({ channelId, threadTs, callId, message }: Post): Promise<string> => {
      await shared.mustBeOpen(channelId);
      const { ts } = await call('chat.postMessage', {
        channel: channelId,
        ...(threadTs === null ? {} : { thread_ts: threadTs }),
        text: message.text,
        blocks: marked(message, callId),
        metadata: { event_type: METADATA_EVENT_TYPE, event_payload: { call_id: callId } },
        ...NO_UNFURLS,
      });
      return String(ts);
    },

    /**
     * Looks in its thread (or channel) for a post of unknown outcome, which must be there if Slack stored it
     * between the two times. Returns its `ts`, or null.
     * @param look how far the search has come; a failed look continues there
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
        if (found?.ts !== undefined) return found.ts;
        look.cursor = cursor;
      }
      return null;
    },

    /** All messages of a thread since `oldestTs` (default: all), always with the root, oldest first. */
    thread: async (channelId: string, threadTs: string, oldestTs?: string): Promise<ThreadMessage[]> => {
      const found: ThreadMessage[] = [];
      for await (const { messages } of readPages({ channelId, threadTs }, since(oldestTs), null)) {
        found.push(...placed(messages, channelId));
      }
      return found;
    },

    /**
     * One page of a thread: from its start, since `oldestTs`, or from `cursor`. Each holds the root; oldest
     * first.
     */
    threadPage: async (
      channelId: string,
      threadTs: string,
      { oldestTs, cursor }: { readonly oldestTs: string | undefined; readonly cursor: string | null },
    ) => {
      const page = await readPage({ channelId, threadTs }, since(oldestTs), cursor);
      return { ...page, messages: placed(page.messages, channelId) };
    },

    /** Replaces a message in place. May be repeated. @param callId of its post, if it must stay recognisable */
    update: async (channelId: string, ts: string, message: SlackMessage, callId?: string): Promise<void> => {
      const blocks = callId === undefined ? message.blocks : marked(message, callId);
      await shared.mustBeOpen(channelId);
      await call('chat.update', { channel: channelId, ts, text: message.text, blocks });
    },

    /** Adds a reaction to a message. May be repeated. */
    addReaction: async (channel: string, timestamp: string, name: string): Promise<void> => {
      await shared.mustBeOpen(channel);
      await call('reactions.add', { channel, timestamp, name });
    },

    /** Removes a reaction, if present. May be repeated. */
    removeReaction: (channel: string, timestamp: string, name: string) =>
      call('reactions.remove', { channel, timestamp, name }),

    /**
     * Sets the state of the agent's session in a thread, if the app is an agent. Slack ends `processing` after
     * an hour.
     */
    setSessionState: async (channelId: string, threadTs: string, status: SessionState): Promise<void> => {
      if (granted?.has(AGENT_SCOPE) === false) return;
      await shared.mustBeOpen(channelId);
      await call('agents.sessions.setStatus', { channel_id: channelId, thread_ts: threadTs, status });
    },

    completeStep,

    /** The link to a message, which also names its thread's root if it is a reply. */
    permalink,

    /** The same where it is only shown; null if Slack does not return it. */
    permalinkIfAny: async (channelId: string, ts: string): Promise<string | null> => {
      try {
        return await permalink(channelId, ts);
      } catch (error) {
        if (error instanceof SlackCallError) return null;
        throw error;
      }
    },

    /** What the installation granted; null if Slack does not say. */
    grantedScopes: async (): Promise<GrantedScopes> => grantedIn(await call('auth.test', {})),

    /** Only members of a channel may read it: throws if the bot is none, or the channel is shared. */
    mayPostIn: async (channelId: string): Promise<void> => {
      await call('conversations.history', { channel: channelId, limit: 1 });
      await shared.mustBeOpen(channelId);
    },

    /** Whether everybody in the workspace may read the channel. Slack does not show private ones to the app. */
    isPublic: async (channelId: string): Promise<boolean> => {
      const ask = () => call('conversations.info', { channel: channelId });
      const { channel } = await againIfFailed(ask);
      return (
        typeof channel === 'object' && channel.is_private === false && !channel.is_im && !channel.is_mpim
      );
    },

    /**
     * Tells one person something: where the command was typed while its `response_url` is valid, else in a
     * direct message.
     */
    respondPrivately,

    /** Shows a message to one person, in a channel or thread, if they look at it now. It does not last. */
    postEphemeral,

    /** As `postEphemeral`; if Slack refuses it there, sends `elsewhere` as a direct message. */
    replyPrivately: async (
      place: Parameters<typeof postEphemeral>[0],
      message: SlackMessage,
      elsewhere = message,
    ): Promise<void> => {
      try {
        await postEphemeral(place, message);
      } catch (error) {
        if (!(error instanceof SlackCallError) || !saidNo(error.failure)) throw error;
        await respondPrivately(place.userId, null, elsewhere);
      }
    },

    /**
     * Opens a modal for the author of the request, and returns its id. The trigger works once, within three
     * seconds.
     */
    openModal: async (triggerId: string, view: ModalView): Promise<string> =>
      String((await call('views.open', { trigger_id: triggerId, view })).view?.id),

    updateModal: (viewId: string, view: ModalView) => call('views.update', { view_id: viewId, view }),

    /** Replaces one person's home tab. May be repeated. */
    publishHome: async (userId: string, { blocks }: SlackMessage): Promise<void> => {
      await call('views.publish', { user_id: userId, view: { type: 'home', blocks } });
    },
  };
}

/** So that `find` can recognise it. */
function marked({ blocks: [first, ...rest] }: SlackMessage, callId: string): KnownBlock[] {
  return first === undefined ? [] : [{ ...first, block_id: callBlockId(callId) }, ...rest];
}

function placed(messages: readonly FoundMessage[], channel: string): ThreadMessage[] {
  return messages.flatMap((message) =>
    message.ts === undefined ? [] : [{ ...message, ts: message.ts, channel }],
  );
}

function since(oldestTs: string | undefined) {
  return oldestTs === undefined ? {} : { oldest: oldestTs, inclusive: true };
}

function methodFor({ threadTs }: Place): string {
  return threadTs === null ? 'conversations.history' : 'conversations.replies';
}

/** Slack takes about one message a second in a channel, and 50 calls a minute of most other methods. */
const POST_SPACING_MS = 1_000;
const CALL_SPACING_MS = 1_200;

interface Hold {
  readonly untilMs: number;
  waiting: number;
}

/**
 * Holds a method back after a 429 (for one channel, if it posts) until the time that Slack named. Callers in
 * between get turns, so that they do not all return at once. https://docs.slack.dev/apis/web-api/rate-limits
 */
export class RateGate {
  private readonly holds = new Map<string, Hold>();

  /** How long a call has to wait; 0: it may go out. */
  waitMs(method: string, channelId: string | null, nowMs: number): number {
    const hold = this.holds.get(keyOf(method, channelId));
    if (hold === undefined || !isWaitOn(hold.untilMs, LONGEST_RETRY_AFTER_MS, nowMs)) return 0;
    return takeTurn(hold, method, nowMs);
  }

  /** Slack limited this call. Returns how long it has to wait. */
  hold(method: string, channelId: string | null, untilMs: number, nowMs: number): number {
    for (const [key, hold] of this.holds) {
      if (!isWaitOn(hold.untilMs, LONGEST_RETRY_AFTER_MS, nowMs)) this.holds.delete(key);
    }
    const key = keyOf(method, channelId);
    const before = this.holds.get(key);
    const hold = { untilMs: Math.max(untilMs, before?.untilMs ?? 0), waiting: before?.waiting ?? 0 };
    this.holds.set(key, hold);
    // Calls that met the limit return first, also one by one.
    return takeTurn(hold, method, nowMs);
  }
}

function takeTurn(hold: Hold, method: string, nowMs: number): number {
  const spacingMs = isPost(method) ? POST_SPACING_MS : CALL_SPACING_MS;
  const waitMs = hold.untilMs - nowMs + hold.waiting * spacingMs;
  hold.waiting += 1;
  return waitMs;
}

function keyOf(method: string, channelId: string | null): string {
  return isPost(method) ? `${method} ${channelId ?? ''}` : method;
}

function isPost(method: string): boolean {
  return method === 'chat.postMessage';
}
