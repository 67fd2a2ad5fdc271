import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { botScopes } from '../../../src/slack/protocol/scopes.ts';
import { findRoute } from '../../../test/support/agent-api/route.ts';
import { activeAgentJob } from '../../../test/support/watched-jobs.ts';

// The process of stand-ins.ts. Answers everything at once: jobs never end, and their answers never change.

const counts: Record<string, number> = {};
let made = 0;

const server = createServer((request, response) => {
  const { method = '', url = '' } = request;
  request.resume();
  request.on('end', () => {
    if (url === '/counts') return answer(response, 200, counts);
    if (url.startsWith('/api/')) return answerAsSlack(url.slice('/api/'.length), response);
    answerAsAgent(method, url, response);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ event: 'started', port: (server.address() as AddressInfo).port }));
});

function answerAsSlack(call: string, response: ServerResponse): void {
  const [name = ''] = call.split('?');
  count(name);
  made += 1;
  const ts = `${1_700_000_000 + Math.floor(made / 1_000_000)}.${String(made % 1_000_000).padStart(6, '0')}`;
  const answers: Record<string, object> = {
    'auth.test': { user_id: 'U0BOT', bot_id: 'B0BOT', team_id: 'T0TEAM' },
    'chat.postMessage': { ts },
    'conversations.info': { channel: { id: 'C1', is_private: false } },
    'conversations.replies': { messages: [], has_more: false },
    'users.info': { user: { id: 'U1', team_id: 'T0TEAM', is_bot: false, name: 'ann', profile: {} } },
  };
  response.setHeader('x-oauth-scopes', botScopes.map((scope) => scope.name).join());
  answer(response, 200, { ok: true, ...answers[name] });
}

function answerAsAgent(method: string, path: string, response: ServerResponse): void {
  const route = findRoute(method, path);
  if (route === null) {
    answer(response, 404, { error: 'Not found' });
    return;
  }
  count(route.operation);
  made += 1;
  const id = route.jobId || `agent-${made}`;
  answer(response, route.operation === 'create' ? 201 : 200, { ...activeAgentJob, id });
}

function count(name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
