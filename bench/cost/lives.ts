import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { findRoute } from '../../test/support/agent-api/route.ts';
import { activeAgentJob } from '../../test/support/watched-jobs.ts';

const SLACK_PATH = '/api/';
const WORKSPACE_URL = 'https://acme.slack.com/';
export const NOTICE_CHANNEL = 'C0NOTICES';

/** A thread that can be answered. */
export interface Thread {
  readonly number: number;
  readonly channelId: string;
  readonly threadTs: string;
}

/** Slack and the agent API for jobs that live their whole lives. All is answered at once. */
export interface Lives extends AsyncDisposable {
  readonly slackApiUrl: string;
  readonly agentBaseUrl: string;
  /** How many calls to Slack came in so far, by method. */
  readonly slackCalls: Readonly<Record<string, number>>;
  /** How many jobs show their pull request wherever they should, and ✅ at their reply. */
  readonly finished: number;
  /** The next job posts its card: whoever waits for threads gets it. */
  onThread: (thread: Thread) => void;
  /** Tells which message is the reply in a thread. */
  replied(thread: Thread, messageTs: string): void;
  /** What is missing in jobs that have not finished, for whoever waited in vain. */
  missing(): readonly string[];
}

interface Life {
  reads: number;
  hasReply: boolean;
  readonly reactions: Set<string>;
  readonly shownIn: Set<'card' | 'thread' | 'notice'>;
}

type Fields = Readonly<Record<string, string>>;

interface Answer {
  readonly status: number;
  readonly body: object;
}

/** @param readsOf of a job, by its number; the last of them finds the pull request */
export async function startLives(readsOf: (number: number) => number): Promise<Lives> {
  const lives = new Map<number, Life>();
  const numberOfReply = new Map<string, number>();
  const slackCalls: Record<string, number> = {};
  let made = 0;

  const lifeOf = (number: number): Life => {
    const life = lives.get(number) ?? { reads: 0, hasReply: false, reactions: new Set(), shownIn: new Set() };
    lives.set(number, life);
    return life;
  };

  function answerAsSlack(method: string, fields: Fields): Answer {
    slackCalls[method] = (slackCalls[method] ?? 0) + 1;
    if (method === 'chat.update') show(fields, 'card');
    if (method === 'reactions.add') reactionsAt(fields.timestamp).add(fields.name ?? '');
    if (method === 'reactions.remove') reactionsAt(fields.timestamp).delete(fields.name ?? '');
    return { status: 200, body: { ok: true, ...saidBySlack(method, fields) } };
  }

  function saidBySlack(method: string, { channel, message_ts: ts = '', user, ...more }: Fields): object {
    switch (method) {
      case 'auth.test':
        return { url: WORKSPACE_URL, user_id: 'U0BOT', bot_id: 'B0BOT', team_id: 'T0TEAM' };
      case 'chat.getPermalink':
        return { permalink: `${WORKSPACE_URL}archives/${channel}/p${ts.replace('.', '')}` };
      case 'chat.postMessage':
        return { ts: post({ ...more, channel: channel ?? '' }) };
      case 'conversations.info':
        return { channel: { id: channel, is_private: false } };
      case 'conversations.replies':
        return { messages: [], has_more: false };
      case 'users.info':
        return { user: { id: user, team_id: 'T0TEAM', is_bot: false, name: `ann ${user}`, profile: {} } };
      default:
        return {};
    }
  }

  function post(fields: Fields): string {
    // Messages of people come in between.
    made += 10;
    const ts = `${1_700_000_000 + Math.floor(made / 1_000_000)}.${String(made % 1_000_000).padStart(6, '0')}`;
    if (fields.channel === NOTICE_CHANNEL) show(fields, 'notice');
    else if (fields.thread_ts !== undefined) show(fields, 'thread');
    else
      result.onThread({
        number: numberIn(fields.text ?? ''),
        channelId: fields.channel ?? '',
        threadTs: ts,
      });
    return ts;
  }

  function show({ blocks = '' }: Fields, where: 'card' | 'thread' | 'notice'): void {
    const number = /\/pull\/(\d+)/.exec(blocks)?.[1];
    if (number !== undefined) lifeOf(Number(number)).shownIn.add(where);
  }

  function reactionsAt(messageTs: string | undefined): Set<string> {
    const number = numberOfReply.get(messageTs ?? '');
    if (number === undefined) throw new Error(`nobody replied at ${messageTs}`);
    return lifeOf(number).reactions;
  }

  function answerAsAgent(method: string, path: string, body: string): Answer {
    const route = findRoute(method, path);
    if (route === null) return { status: 404, body: { error: 'Not found' } };
    if (route.operation === 'create') {
      const { prompt } = JSON.parse(body) as { readonly prompt: string };
      return { status: 201, body: { ...activeAgentJob, id: `agent-${numberIn(prompt)}` } };
    }
    const number = Number(route.jobId.replace('agent-', ''));
    const life = lifeOf(number);
    const isRead = route.operation === 'get';
    if (isRead) life.reads += 1;
    else life.hasReply = true;
    const isOver = isRead && life.hasReply && life.reads >= readsOf(number);
    const end = { status: 'completed', prLink: `https://github.com/acme/docs/pull/${number}` };
    return { status: 200, body: { ...activeAgentJob, ...(isOver && end), id: route.jobId } };
  }

  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const content = await text(request);
    const isForSlack = url.startsWith(SLACK_PATH);
    const { status, body } = isForSlack
      ? answerAsSlack(url.slice(SLACK_PATH.length), fieldsOf(headers['content-type'] ?? '', content))
      : answerAsAgent(method, url, content);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const missingIn = (life: Life): string[] => [
    ...(['card', 'thread', 'notice'] as const).filter((where) => !life.shownIn.has(where)),
    ...([...life.reactions].join() === 'white_check_mark' ? [] : [`reactions ${[...life.reactions].join()}`]),
  ];
  const result: Lives = {
    slackApiUrl: origin + SLACK_PATH,
    agentBaseUrl: origin,
    slackCalls,
    get finished() {
      return lives
        .values()
        .filter((life) => missingIn(life).length === 0)
        .toArray().length;
    },
    onThread: () => {},
    replied: ({ number }, messageTs) => void numberOfReply.set(messageTs, number),
    missing: () =>
      [...lives].flatMap(([number, life]) => missingIn(life).map((what) => `${number}: ${what}`)),
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return result;
}

/** Slack takes its arguments as a form or as JSON. */
function fieldsOf(contentType: string, body: string): Fields {
  if (!contentType.startsWith('application/json')) return Object.fromEntries(new URLSearchParams(body));
  const entries = Object.entries(JSON.parse(body) as Record<string, unknown>);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

function numberIn(prompt: string): number {
  return Number(/example (\d+)/.exec(prompt)?.[1]);
}
