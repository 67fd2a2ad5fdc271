import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.ts';
import { boltLogger, createCaller, slackClient } from '../../../src/slack/workspace/caller.ts';
import { createPoster } from '../../../src/slack/workspace/poster.ts';
import { serveHttp } from '../../agent/support.ts';
import { silentLog } from '../../engine/support/context.ts';

const quiet = boltLogger(silentLog);
const STARTED_AT_MS = 1_700_000_000_000;
const UNTIL_MS = STARTED_AT_MS + 20_000;
const post = { channelId: 'C1', threadTs: '1.1', callId: 'call-1' };
const metadata = (callId: string) => ({ event_type: 'docs_agent_post', event_payload: { call_id: callId } });

/** A Slack whose threads and channels hold these pages of messages; in the place of one, the status of a failure. */
async function slackWith(...pages: (object[] | number)[]) {
  const requests: { method: string; args: URLSearchParams }[] = [];
  const server = await serveHttp(async (request, response) => {
    const method = (request.url ?? '').replace('/api/', '');
    requests.push({ method, args: new URLSearchParams(await text(request)) });
    const page = requests.length - 1;
    const messages = pages[page] ?? [];
    if (typeof messages === 'number') {
      response.writeHead(messages, messages === 429 ? { 'retry-after': '30' } : {}).end();
      return;
    }
    const response_metadata = { next_cursor: page + 1 < pages.length ? `page-${page + 1}` : '' };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, messages, response_metadata }));
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const client = slackClient(`${server.baseUrl}/api/`, quiet);
  return {
    requests,
    poster: createPoster(
      createCaller(client, async () => 'xoxb-1'),
      systemClock,
      fetch,
      { mustBeOpen: async () => {} },
    ),
  };
}

test('a post of unknown fate is found by the call id in its metadata', async () => {
  const { poster, requests } = await slackWith([
    { ts: '1.2', metadata: metadata('call-0') },
    { ts: '1.3', metadata: { ...metadata('call-1'), event_type: 'of_another_app' } },
    { ts: '1.4', metadata: metadata('call-1') },
  ]);
  expect(await poster.find(post, STARTED_AT_MS, UNTIL_MS)).toBe('1.4');
  expect(requests[0]?.method).toBe('conversations.replies');
  expect(requests[0]?.args.get('include_all_metadata')).toBe('true');
});

test('or by the id of its first block, where metadata does not come back', async () => {
  const { poster } = await slackWith([
    { ts: '1.2', blocks: [{ block_id: 'call:call-0' }] },
    { ts: '1.3', blocks: [{ block_id: 'call:call-1' }, { block_id: 'x' }] },
  ]);
  expect(await poster.find(post, STARTED_AT_MS, UNTIL_MS)).toBe('1.3');
});

test('it is looked for on all pages, from a minute before its start to a minute after its time, as clocks may differ', async () => {
  const { poster, requests } = await slackWith(
    [{ ts: '1.2' }],
    [{ ts: '1.3', metadata: metadata('call-1') }],
  );
  expect(await poster.find({ ...post, threadTs: null }, STARTED_AT_MS, UNTIL_MS)).toBe('1.3');
  expect(requests.map(({ method }) => method)).toEqual(['conversations.history', 'conversations.history']);
  expect(requests[1]?.args.get('cursor')).toBe('page-1');
  expect(Number(requests[0]?.args.get('oldest'))).toBe(STARTED_AT_MS / 1000 - 60);
  expect(Number(requests[0]?.args.get('latest'))).toBe(UNTIL_MS / 1000 + 60);
});

test('a page that fails is asked for once more, at once', async () => {
  const { poster, requests } = await slackWith([{ ts: '1.2' }], 500, [
    { ts: '1.3', metadata: metadata('call-1') },
  ]);
  expect(await poster.find(post, STARTED_AT_MS, UNTIL_MS)).toBe('1.3');
  expect(requests.map(({ args }) => args.get('cursor'))).toEqual([null, 'page-1', 'page-1']);
});

test('a page that fails is not asked for again if Slack has asked to wait', async () => {
  const { poster, requests } = await slackWith([{ ts: '1.2' }], 429, [{ ts: '1.3' }]);
  await expect(poster.find(post, STARTED_AT_MS, UNTIL_MS)).rejects.toThrow();
  expect(requests).toHaveLength(2);
});

test('a post of a program that was frozen while it connected is not sent when it wakes', async () => {
  const { poster, requests } = await slackWith([]);
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const posted = poster.post({ ...post, message: { text: 'Hi', blocks: [] } });
  // As far as the program comes without the network.
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
  vi.setSystemTime(Date.now() + 5_001);
  await expect(posted).rejects.toMatchObject({ failure: { outcome: 'retry', code: 'too_late_to_send' } });
  expect(requests).toEqual([]);
});

test.each([
  ['ok', 'ok'],
  ['a JSON that says so', '{"ok":true}'],
  ['a refusal', '{"ok":false,"error":"expired_url"}', 'a direct message'],
  ['a web page of a proxy', '<!doctype html><title>Please sign in</title>', 'a direct message'],
])('a private answer that is answered with %s: %s', async (_what, answer, instead = 'nothing more') => {
  const { poster, requests } = await slackWith([]);
  await using hook = await serveHttp((_request, response) => void response.end(answer));
  await poster.respondPrivately('U1', `${hook.baseUrl}/hook`, { text: 'Hi', blocks: [] });
  expect(requests.map(({ method }) => method)).toEqual(
    instead === 'nothing more' ? [] : ['chat.postMessage'],
  );
});
