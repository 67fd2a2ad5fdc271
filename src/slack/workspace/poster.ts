import type { KnownBlock, ModalView } from '@slack/types';
import type { Clock } from '../../engine/runtime/clock.ts';
import { isWaitOn } from '../../jobs/schedule/schedule.ts';
import type { SessionState } from '../../jobs/shown/lists.ts';
import { CLOCK_SKEW_MS } from '../messages/message-event.ts';
import { callBlockId, isPostOf, METADATA_EVENT_TYPE } from '../messages/post-mark.ts';
import { AGENT_SCOPE, type GrantedScopes, grantedIn } from '../protocol/scopes.ts';
import type { SlackMessage } from '../views/parts/message.ts';
import type { SharedChannels } from './access.ts';
import {
  type Answer,
  againIfFailed,
  type Page,
  type SlackCaller,
  type ThreadMessage,
  type ThreadPage,
} from './web-api/caller.ts';
import { LONGEST_RETRY_AFTER_MS, rateLimited, SlackCallError, saidNo } from './web-api/failure.ts';
import { respond } from './web-api/http.ts';

const PAGE_SIZE = 200;
const MAX_PAGES = 20;
/** Our code for more than 4,000 messages, which are not read to their end. */
export const TOO_MANY_MESSAGES = 'too_many_messages';
/** Answers that mean "it is so already". */
const ALREADY_SO = new Set(['already_reacted', 'no_reaction']);

/**
 * Our messages say where a link leads. Slack takes this only when a message is posted, not when it is edited.
 */
const NO_UNFURLS = { unfurl_links: false, unfurl_media: false } as const;

export interface Post {
  readonly channelId: string;
  readonly threadTs: string | null;
  /** The ledger's id of this post; it travels with the message, so that `find` can recognise it. */
  readonly callId: string;
  readonly message: SlackMessage;
}

export type Completion = { readonly executionId: string } & (
  | { readonly kind: 'success'; readonly outputs: Readonly<Record<string, string>> }
  | { readonly kind: 'error'; readonly error: string }
);

/**
 * The only place that writes to a Slack workspace. Every method throws SlackCallError. In a channel that is
 * shared with another organisation, it answers only single people.
 */
export class Poster {
  private readonly callSlack: SlackCaller;
  private readonly clock: Clock;
  private readonly fetchAnswer: typeof fetch;
  private readonly shared: Pick<SharedChannels, 'mustBeOpen'>;
  private readonly gate = new RateGate();
  /** From the latest answer. */
  private granted: GrantedScopes = null;

  /**
   * `callSlack` must not retry by itself: a repeated post is a doubled message.
   * @param fetchAnswer for a `response_url`, see `answerFetch`
   */
  constructor(
    callSlack: SlackCaller,
    clock: Clock,
    fetchAnswer: typeof fetch,
    shared: Pick<SharedChannels, 'mustBeOpen'>,
  ) {
    this.callSlack = callSlack;
    this.clock = clock;
    this.fetchAnswer = fetchAnswer;
    this.shared = shared;
  }

  async post({ channelId, threadTs, callId, message }: Post): Promise<string> {
    await this.shared.mustBeOpen(channelId);
    const result = await this.call('chat.postMessage', {
      channel: channelId,
      ...(threadTs === null ? {} : { thread_ts: threadTs }),
      text: message.text,
      blocks: marked(message, callId),
      metadata: { event_type: METADATA_EVENT_TYPE, event_payload: { call_id: callId } },
      ...NO_UNFURLS,
    });
    return String(result.ts);
  }

  /**
   * Looks in its thread (or channel) for a post of unknown outcome, which must be there if Slack stored it
   * between the two times. Returns its `ts`, or null.
   * @param look how far the search has come; a failed look continues there
   */
  async find(
    post: Omit<Post, 'message'>,
    sinceMs: number,
    untilMs: number,
    look: { cursor: string | null } = { cursor: null },
  ): Promise<string | null> {
    const oldest = ((sinceMs - CLOCK_SKEW_MS) / 1000).toFixed(6);
    const latest = ((untilMs + CLOCK_SKEW_MS) / 1000).toFixed(6);
    const args = { oldest, latest, include_all_metadata: true };
    for (let count = 0; count < MAX_PAGES; count += 1) {
      const { messages, cursor } = await this.page(post, args, look.cursor);
      const found = messages.find((message) => isPostOf(message, post.callId));
      if (found?.ts !== undefined) return found.ts;
      look.cursor = cursor;
      if (cursor === null) return null;
    }
    throw tooManyMessages(post);
  }

  /** All messages of a thread since `oldestTs` (default: all), always with the root, oldest first. */
  async thread(channelId: string, threadTs: string, oldestTs?: string): Promise<ThreadMessage[]> {
    const found: ThreadMessage[] = [];
    let cursor: string | null = null;
    for (let count = 0; count < MAX_PAGES; count += 1) {
      const page: ThreadPage = await this.threadPage(channelId, threadTs, { oldestTs, cursor });
      found.push(...page.messages);
      cursor = page.cursor;
      if (cursor === null) return found;
    }
    throw tooManyMessages({ channelId, threadTs });
  }

  /**
   * One page of a thread: from its start, since `oldestTs`, or from `cursor`. Each holds the root; oldest
   * first.
   */
  async threadPage(
    channelId: string,
    threadTs: string,
    { oldestTs, cursor }: { readonly oldestTs: string | undefined; readonly cursor: string | null },
  ): Promise<ThreadPage> {
    const since = oldestTs === undefined ? {} : { oldest: oldestTs, inclusive: true };
    const page = await this.page({ channelId, threadTs }, since, cursor);
    const messages = page.messages.flatMap((message) =>
      message.ts === undefined ? [] : [{ ...message, ts: message.ts, channel: channelId }],
    );
    return { messages, cursor: page.cursor };
  }

  private async page(source: Source, args: Record<string, unknown>, cursor: string | null): Promise<Page> {
    const { channelId, threadTs } = source;
    const request = {
      ...args,
      channel: channelId,
      ...(threadTs === null ? {} : { ts: threadTs }),
      limit: PAGE_SIZE,
      ...(cursor === null ? {} : { cursor }),
    };
    const result = await againIfFailed(() => this.call(methodFor(source), request));
    return { messages: result.messages ?? [], cursor: result.response_metadata?.next_cursor || null };
  }

  /** Replaces a message in place. May be repeated. @param callId of its post, if it must stay recognisable */
  async update(channelId: string, ts: string, message: SlackMessage, callId?: string): Promise<void> {
    const blocks = callId === undefined ? message.blocks : marked(message, callId);
    await this.shared.mustBeOpen(channelId);
    await this.call('chat.update', { channel: channelId, ts, text: message.text, blocks });
  }

  /** Adds a reaction to a message. May be repeated. */
  async addReaction(channel: string, timestamp: string, name: string): Promise<void> {
    await this.shared.mustBeOpen(channel);
    await this.call('reactions.add', { channel, timestamp, name });
  }

  /** Removes a reaction, if present. May be repeated. */
  async removeReaction(channel: string, timestamp: string, name: string): Promise<void> {
    await this.call('reactions.remove', { channel, timestamp, name });
  }

  /**
   * Sets the state of the agent's session in a thread, if the app is an agent. Slack ends `processing` after
   * an hour.
   */
  async setSessionState(channelId: string, threadTs: string, status: SessionState): Promise<void> {
    if (this.granted?.has(AGENT_SCOPE) === false) return;
    const place = { channel_id: channelId, thread_ts: threadTs };
    await this.shared.mustBeOpen(channelId);
    await this.call('agents.sessions.setStatus', { ...place, status });
  }

  /**
   * Completes a workflow's step; a second completion is refused. @param token instead of the bot's; null: the
   * bot's
   */
  async completeStep(completion: Completion, token: string | null): Promise<void> {
    const args = {
      function_execution_id: completion.executionId,
      ...(completion.kind === 'error' ? { error: completion.error } : { outputs: completion.outputs }),
      ...(token === null ? {} : { token }),
    };
    await this.call(`functions.complete${completion.kind === 'error' ? 'Error' : 'Success'}`, args);
  }

  /** The link to a message, which also names its thread's root if it is a reply. */
  async permalink(channelId: string, ts: string): Promise<string> {
    const result = await this.call('chat.getPermalink', { channel: channelId, message_ts: ts });
    return String(result.permalink);
  }

  /** The same where it is only shown; null if Slack does not return it. */
  async permalinkIfAny(channelId: string, ts: string): Promise<string | null> {
    try {
      return await this.permalink(channelId, ts);
    } catch (error) {
      if (error instanceof SlackCallError) return null;
      throw error;
    }
  }

  /** What the installation granted; null if Slack does not say. */
  async grantedScopes(): Promise<GrantedScopes> {
    return grantedIn(await this.call('auth.test', {}));
  }

  /** Only members of a channel may read it: throws if the bot is none, or the channel is shared. */
  async mayPostIn(channelId: string): Promise<void> {
    await this.call('conversations.history', { channel: channelId, limit: 1 });
    await this.shared.mustBeOpen(channelId);
  }

  /** Whether everybody in the workspace may read the channel. Slack does not show private ones to the app. */
  async isPublic(channelId: string): Promise<boolean> {
    const ask = () => this.call('conversations.info', { channel: channelId });
    const { channel } = await againIfFailed(ask);
    return typeof channel === 'object' && channel.is_private === false && !channel.is_im && !channel.is_mpim;
  }

  /**
   * Tells one person something: where the command was typed while its `response_url` is valid, else in a
   * direct message.
   */
  async respondPrivately(userId: string, responseUrl: string | null, message: SlackMessage): Promise<void> {
    if (responseUrl !== null && (await respond(this.fetchAnswer, responseUrl, message))) return;
    const { text, blocks } = message;
    await this.call('chat.postMessage', { channel: userId, text, blocks, ...NO_UNFURLS });
  }

  /** Shows a message to one person, in a channel or thread, if they look at it now. It does not last. */
  async postEphemeral(
    { channelId, threadTs, userId }: Pick<Post, 'channelId' | 'threadTs'> & { readonly userId: string },
    message: SlackMessage,
  ): Promise<void> {
    await this.call('chat.postEphemeral', {
      channel: channelId,
      ...(threadTs === null ? {} : { thread_ts: threadTs }),
      user: userId,
      text: message.text,
      blocks: message.blocks,
    });
  }

  /** As `postEphemeral`; if Slack refuses it there, sends `elsewhere` as a direct message. */
  async replyPrivately(
    place: Parameters<Poster['postEphemeral']>[0],
    message: SlackMessage,
    elsewhere = message,
  ): Promise<void> {
    try {
      await this.postEphemeral(place, message);
    } catch (error) {
      if (!(error instanceof SlackCallError) || !saidNo(error.failure)) throw error;
      await this.respondPrivately(place.userId, null, elsewhere);
    }
  }

  /**
   * Opens a modal for the author of the request, and returns its id. The trigger works once, within three
   * seconds.
   */
  async openModal(triggerId: string, view: ModalView): Promise<string> {
    const result = await this.call('views.open', { trigger_id: triggerId, view });
    return String(result.view?.id);
  }

  /** Replaces an open view. */
  async updateModal(viewId: string, view: ModalView): Promise<void> {
    await this.call('views.update', { view_id: viewId, view });
  }

  /** Replaces one person's home tab. May be repeated. */
  async publishHome(userId: string, { blocks }: SlackMessage): Promise<void> {
    await this.call('views.publish', { user_id: userId, view: { type: 'home', blocks } });
  }

  private async call(method: string, args: Record<string, unknown>): Promise<Answer> {
    const channelId = typeof args.channel === 'string' ? args.channel : null;
    const waitMs = this.gate.waitMs(method, channelId, this.clock.now());
    if (waitMs > 0) throw new SlackCallError(method, rateLimited(waitMs), null);
    try {
      const answer = await this.callSlack<Answer>(method, args);
      if (args.token === undefined) this.granted = grantedIn(answer) ?? this.granted;
      return answer;
    } catch (error) {
      if (!(error instanceof SlackCallError)) throw error;
      const { failure } = error;
      if (ALREADY_SO.has(failure.code)) return { ok: true };
      if (failure.retryAfterMs === null) throw error;
      const nowMs = this.clock.now();
      const retryAfterMs = this.gate.hold(method, channelId, nowMs + failure.retryAfterMs, nowMs);
      throw new SlackCallError(method, { ...failure, retryAfterMs }, error);
    }
  }
}

type Source = Pick<Post, 'channelId' | 'threadTs'>;

/** So that `find` can recognise it. */
function marked({ blocks: [first, ...rest] }: SlackMessage, callId: string): KnownBlock[] {
  return first === undefined ? [] : [{ ...first, block_id: callBlockId(callId) }, ...rest];
}

function methodFor({ threadTs }: Source): string {
  return threadTs === null ? 'conversations.history' : 'conversations.replies';
}

function tooManyMessages(source: Source): SlackCallError {
  const failure = { outcome: 'retry', code: TOO_MANY_MESSAGES, retryAfterMs: null } as const;
  return new SlackCallError(methodFor(source), { ...failure, needsAdmin: false, isPassing: false }, null);
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
