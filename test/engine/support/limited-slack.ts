import type { WebAPICallResult } from '@slack/web-api';
import type { Clock } from '../../../src/runtime/clock.ts';
import {
  rateLimited,
  SlackCallError,
  type SlackCaller,
  type SlackFailure,
} from '../../../src/slack/workspace/caller.ts';

const MINUTE_MS = 60_000;
const MOST_ON_A_PAGE = 15;

interface Said {
  readonly ts: string;
  readonly user?: string;
  readonly bot_id?: string;
  readonly text: string;
  readonly thread_ts?: string;
  readonly blocks?: unknown;
}

/**
 * One workspace, as an app meets it that is distributed commercially and is not in Slack's Marketplace: each method
 * that reads messages answers once a minute, with 15 messages at most.
 * https://docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps
 */
export interface LimitedSlack {
  readonly call: SlackCaller;
  /** Which pages were asked for, when, and whether that was refused. */
  readonly reads: readonly {
    readonly atMs: number;
    readonly cursor: string | null;
    readonly isRefused: boolean;
  }[];
  /** Somebody replies. Returns the time of the reply. */
  say(threadTs: string, text: string): string;
  /** What goes wrong with the next two calls of the method: a read that fails is made once more at once. */
  failTwice(method: string, code: string): void;
  /** From now on it never knows where a page begins. */
  forgetCursors(): void;
}

export function limitedSlack(clock: Clock): LimitedSlack {
  const messages: Said[] = [];
  const reads: LimitedSlack['reads'][number][] = [];
  const readAtMs = new Map<string, number>();
  const failures: { readonly method: string; readonly code: string }[] = [];
  let knowsCursors = true;
  let posted = 0;
  const newTs = () => {
    posted += 1;
    return `${Math.floor(clock.now() / 1000)}.${String(posted).padStart(6, '0')}`;
  };

  function limit(method: string, cursor: unknown): void {
    const atMs = clock.now();
    const waitMs = (readAtMs.get(method) ?? Number.NEGATIVE_INFINITY) + MINUTE_MS - atMs;
    reads.push({ atMs, cursor: cursor == null ? null : String(cursor), isRefused: waitMs > 0 });
    if (waitMs > 0) throw new SlackCallError(method, rateLimited(Math.ceil(waitMs / 1000) * 1000), null);
    readAtMs.set(method, atMs);
  }

  function page({ ts, oldest, cursor, limit: wanted }: Readonly<Record<string, unknown>>) {
    const from = Number(oldest ?? 0);
    const rest = messages.filter(
      (message) =>
        message.thread_ts === ts && Number(message.ts) >= from && message.ts > String(cursor ?? ''),
    );
    const root = messages.filter((message) => message.ts === ts);
    const shown = rest.slice(0, Math.min(Number(wanted), MOST_ON_A_PAGE) - 1);
    const next = shown.length < rest.length ? shown.at(-1)?.ts : undefined;
    return { messages: [...root, ...shown], response_metadata: { next_cursor: next ?? '' } };
  }

  function answer(method: string, args: Readonly<Record<string, unknown>>): object {
    if (method === 'chat.postMessage') {
      const { text, thread_ts, blocks } = args as unknown as Said;
      const message = { ts: newTs(), bot_id: 'B1', text, blocks };
      messages.push(thread_ts == null ? message : { ...message, thread_ts });
      return { ts: message.ts };
    }
    if (method !== 'conversations.replies') return {};
    limit(method, args.cursor);
    if (!knowsCursors && args.cursor != null) throw failure(method, 'refused', 'invalid_cursor');
    return page(args);
  }

  return {
    reads,
    call: async <T extends WebAPICallResult>(method: string, args = {}) => {
      const at = failures.findIndex((one) => one.method === method);
      const [failing] = at === -1 ? [] : failures.splice(at, 1);
      if (failing !== undefined) throw failure(method, 'unknown', failing.code);
      const result = answer(method, args);
      return { ok: true, ...result } as unknown as T;
    },
    say: (threadTs, text) => {
      const ts = newTs();
      messages.push({ ts, user: 'U2', text, thread_ts: threadTs });
      return ts;
    },
    failTwice: (method, code) => void failures.push({ method, code }, { method, code }),
    forgetCursors: () => {
      knowsCursors = false;
    },
  };
}

function failure(method: string, outcome: SlackFailure['outcome'], code: string): SlackCallError {
  const facts = { retryAfterMs: null, needsAdmin: false, isPassing: false };
  return new SlackCallError(method, { outcome, code, ...facts }, null);
}
