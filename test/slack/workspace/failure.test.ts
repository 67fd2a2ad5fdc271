import type { ServerResponse } from 'node:http';
import { WebAPIPlatformError, WebAPIRequestError } from '@slack/web-api';
import { expect, test } from 'vitest';
import { classOf } from '../../../src/slack/protocol/error-codes.ts';
import { boltLogger, classify, slackClient } from '../../../src/slack/workspace/caller.ts';
import { serveHttp } from '../../agent/support.ts';
import { silentLog } from '../../engine/support/context.ts';
import { fc } from '../../support/properties.ts';

type Behaviour = (response: ServerResponse) => void;

const quiet = boltLogger(silentLog);
const json = (body: unknown): Behaviour => {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
};
const refusal = (error: string) => json({ ok: false, error });

/** What a call to a Slack that behaves so is taken for, and how many requests it sent. */
async function outcomeOf(behaviour: Behaviour) {
  let requests = 0;
  await using server = await serveHttp((request, response) => {
    requests += 1;
    request.resume().on('end', () => behaviour(response));
  });
  const client = slackClient(`${server.baseUrl}/api/`, quiet);
  try {
    await client('chat.postMessage', { channel: 'C1', text: 'hello' });
  } catch (error) {
    return { ...classify(error), requests };
  }
  throw new Error('the call should have failed');
}

test.each<[string, Behaviour, string]>([
  ['a reset after the request arrived', (response) => response.destroy(), 'unknown'],
  ['HTTP 500', (response) => response.writeHead(500).end('oops'), 'unknown'],
  [
    'an answer that breaks off',
    (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"ok":', () => response.destroy());
    },
    'unknown',
  ],
  ['HTML in place of an answer', (response) => response.writeHead(200).end('<html>login</html>'), 'unknown'],
  ['internal_error, which may have been carried out in part', refusal('internal_error'), 'unknown'],
  ['fatal_error', refusal('fatal_error'), 'unknown'],
  ['an error that is definite', refusal('channel_not_found'), 'refused'],
  ['a message that is too long', refusal('msg_too_long'), 'refused'],
  ['a rate limit without a status', refusal('ratelimited'), 'retry'],
  ['HTTP 404', (response) => response.writeHead(404).end(), 'retry'],
  ['a rate limit that does not say for how long', (response) => response.writeHead(429).end(), 'retry'],
])(
  'a post that meets %s was sent once, and is not taken for more than is known',
  async (_what, behaviour, outcome) => {
    expect(await outcomeOf(behaviour)).toMatchObject({ outcome, requests: 1, needsAdmin: false });
  },
);

test('a page in place of an answer is not taken for an error code, for it may hold anything', async () => {
  const page: Behaviour = (response) => response.writeHead(200).end('<html>xoxb-1</html>');
  expect(await outcomeOf(page)).toMatchObject({ outcome: 'unknown', code: 'bad_answer' });
});

test('a rate limit says how long to wait, and is not waited for inside the client', async () => {
  const limited: Behaviour = (response) => response.writeHead(429, { 'retry-after': '30' }).end();
  expect(await outcomeOf(limited)).toMatchObject({ outcome: 'retry', retryAfterMs: 30_000, requests: 1 });
});

test.each(['token_revoked', 'missing_scope', 'invalid_auth', 'account_inactive'])(
  '%s is kept for an administrator to mend',
  async (code) => {
    expect(await outcomeOf(refusal(code))).toMatchObject({ outcome: 'retry', code, needsAdmin: true });
  },
);

test('an error code that nobody knows is no refusal: nothing that Slack may take later is given up (E1)', () => {
  const final = new Set(['channel_not_found', 'is_archived', 'not_in_channel', 'msg_too_long']);
  const outcomes = (error: string) => classify(new WebAPIPlatformError({ ok: false, error })).outcome;
  for (const code of final) expect(outcomes(code)).toBe('refused');
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z_]{3,30}$/)), (code) => {
      fc.pre(classOf(code) !== 'final');
      expect(outcomes(code)).not.toBe('refused');
    }),
  );
});

test('what only people can mend waits for them, what passes does not, and what is unclear is neither', () => {
  const kinds = ['two_factor_setup_required', 'team_added_to_org', 'toString', 'internal_error'].map(
    (error) => {
      const { outcome, needsAdmin, isPassing } = classify(new WebAPIPlatformError({ ok: false, error }));
      return { outcome, needsAdmin, isPassing };
    },
  );
  const nothing = { needsAdmin: false, isPassing: false };
  expect(kinds).toEqual([
    { ...nothing, outcome: 'retry', needsAdmin: true },
    { ...nothing, outcome: 'retry', isPassing: true },
    { ...nothing, outcome: 'retry', isPassing: true },
    { ...nothing, outcome: 'unknown' },
  ]);
});

test('a connection that is refused sent nothing, so the post may be made again', async () => {
  const server = await serveHttp(() => {});
  await server[Symbol.asyncDispose]();
  const client = slackClient(`${server.baseUrl}/api/`, quiet);
  const error = await client('chat.postMessage', { channel: 'C1', text: 'hello' }).catch(
    (cause: unknown) => cause,
  );
  expect(classify(error)).toMatchObject({ outcome: 'retry', code: 'econnrefused' });
});

test.each(['EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT'])(
  'a way to Slack that breaks with %s under a request that went out leaves open what became of the post',
  (code) => {
    const broken = Object.assign(new Error(`read ${code}`), { code, syscall: 'read' });
    const error = new WebAPIRequestError(new TypeError('terminated', { cause: broken }));
    expect(classify(error)).toMatchObject({ outcome: 'unknown', code: code.toLowerCase() });
  },
);
