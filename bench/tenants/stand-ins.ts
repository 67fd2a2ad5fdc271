import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { findRoute, type Route } from '../../test/support/agent-api/route.ts';
import { activeAgentJob } from '../../test/support/watched-jobs.ts';
import { linkOf, type Noted, workMs } from './noted.ts';

// A process: Slack for all workspaces, and the agent API for all projects. Notes when marked words arrive.

/**
 * After a start, the program reads the threads of all open jobs once. At the real Slack that is slow, since it allows 50 such
 * calls a minute; with answers at once, nothing else would be measured.
 */
const SLOW = 'conversations.replies';
const SLOW_MS = 5_000;
/** In requests, replies, and the links of pull requests. */
const MARK = /(?:probe|remark)-\d+(?=;)|\/pull\/\d+\b/g;

/** From now on, these never answer. */
let silent: { readonly token: string; readonly projectId: string } = { token: '', projectId: '' };
let noted: Noted[] = [];
let made = 0;
const endsAtMs = new Map<string, number>();

const server = createServer((request, response) => {
  handle(request, response).catch(() => response.destroy());
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ event: 'started', port: (server.address() as AddressInfo).port }));
});

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  const body = await text(request);
  if (url === '/silent') {
    silent = JSON.parse(body);
    return answer(response, 200, {});
  }
  if (url === '/noted') {
    const all = noted;
    noted = [];
    return answer(response, 200, all);
  }
  if (url.startsWith('/api/')) {
    const token = headers.authorization?.replace('Bearer ', '') ?? '';
    if (token !== silent.token) answerAsSlack(url.slice('/api/'.length), token, body, response);
    return;
  }
  const route = findRoute(method, url);
  if (route === null) return answer(response, 404, { error: 'Not found' });
  if (route.projectId !== silent.projectId) answerAsAgent(route, body, response);
}

function answerAsSlack(method: string, token: string, body: string, response: ServerResponse): void {
  const teamId = token.replace('xoxb-', '');
  made += 1;
  const ts = `${1_700_000_000 + Math.floor(made / 1_000_000)}.${String(made % 1_000_000).padStart(6, '0')}`;
  if (method === 'chat.postMessage') {
    const words = decodeURIComponent(body.replaceAll('+', ' '));
    note(words.includes('thread_ts') ? 'post' : 'card', words, ts);
  }
  const answers: Record<string, object> = {
    'auth.test': { user_id: 'U0BOT', bot_id: 'B0BOT', team_id: teamId },
    'chat.postMessage': { ts },
    'conversations.info': { channel: { id: 'C1', is_private: false } },
    'conversations.replies': { messages: [], has_more: false },
    'users.info': { user: { id: 'U1', team_id: teamId, is_bot: false, name: 'ann', profile: {} } },
  };
  const answerNow = () => answer(response, 200, { ok: true, ...answers[method] });
  if (method === SLOW) setTimeout(answerNow, SLOW_MS);
  else answerNow();
}

function answerAsAgent({ operation, jobId }: Route, body: string, response: ServerResponse): void {
  made += 1;
  const id = jobId || `made-${made}`;
  const nowMs = Date.now();
  if (operation === 'create' || operation === 'message') {
    endsAtMs.set(id, nowMs + workMs(id));
    note(operation, body, id);
  }
  const hasEnded = (endsAtMs.get(id) ?? Number.POSITIVE_INFINITY) <= nowMs;
  const prLink = `https://github.com/acme/docs${linkOf(id)}`;
  const job = { ...activeAgentJob, ...(hasEnded && { status: 'completed', prLink }), id };
  answer(response, operation === 'create' ? 201 : 200, job);
}

function note(what: Noted['what'], words: string, id: string): void {
  for (const mark of new Set(words.match(MARK))) noted.push({ what, mark, id, atMs: Date.now() });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
