import { expect, test } from 'vitest';
import { answerFetch, boltLogger, slackClient } from '../../src/slack/workspace/caller.ts';
import { serveHttp } from '../agent/support.ts';
import { silentLog } from '../engine/support/context.ts';

const quiet = boltLogger(silentLog);

/** A server of somebody else, with what arrived there. */
async function elsewhere() {
  const arrived: string[] = [];
  const server = await serveHttp((request, response) => {
    arrived.push(request.url ?? '');
    response.end('{"ok":true}');
  });
  return { ...server, arrived, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test.each([302, 307, 308])(
  'Slack cannot send a call on to another server (%i): the token stays',
  async (status) => {
    await using other = await elsewhere();
    await using slack = await serveHttp((_request, response) => {
      response.writeHead(status, { location: other.baseUrl }).end();
    });
    const client = slackClient(`${slack.baseUrl}/api/`, quiet);
    await expect(client('auth.test', { token: 'xoxb-1' })).rejects.toThrow();
    expect(other.arrived).toEqual([]);
  },
);

test('an answer to a request is not sent on either', async () => {
  await using other = await elsewhere();
  await using slack = await serveHttp((_request, response) => {
    response.writeHead(307, { location: other.baseUrl }).end();
  });
  const fetchAnswer = answerFetch(`${slack.baseUrl}/api/`);
  await expect(fetchAnswer(`${slack.baseUrl}/response/1`, { method: 'POST' })).rejects.toThrow();
  expect(other.arrived).toEqual([]);
});

test.each([
  [null, 'http://hooks.slack.com/1'],
  [null, 'https://hooks.slack.com.evil.example/1'],
  [null, 'https://hooks.slack.com@evil.example/1'],
  [null, 'https://user:pass@hooks.slack.com/1'],
  [null, 'https://hooks.slack.com:8443/1'],
  [null, 'https://slack.com/1'],
  [null, 'http://169.254.169.254/latest/meta-data'],
  [null, 'file:///etc/passwd'],
  [null, 'hooks.slack.com/1'],
  [null, ''],
  ['https://slack-gov.com/api/', 'https://hooks.slack.com/1'],
  ['https://slack-gov.com/api/', 'http://hooks.slack-gov.com/1'],
  ['https://slack-gov.com/api/', 'https://evil-slack-gov.com/1'],
  ['http://127.0.0.1:4000/api/', 'http://127.0.0.2:4000/1'],
  ['http://127.0.0.1:4000/api/', 'http://localhost:4000/1'],
])('with Slack at %s nothing is sent to the address %s', async (apiUrl, address) => {
  await expect(answerFetch(apiUrl)(address)).rejects.toThrow("the response_url is not Slack's");
});
