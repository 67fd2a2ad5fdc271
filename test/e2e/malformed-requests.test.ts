import { expect, test } from 'vitest';
import { alice, general } from '../support/local-slack.ts';
import { signedSlackOf } from '../support/strict-slack/signed.ts';
import { startStrictWorld } from './support/strict-world.ts';

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const CHALLENGE = '{"type":"url_verification","challenge":"x"}';

test('what is signed but is no object, not signed by Slack, or too large is refused at once; what is well formed is taken in', async () => {
  await using world = await startStrictWorld({ mode: 'http' });
  const signed = signedSlackOf(world);
  for (const [type, ...bodies] of [
    [
      JSON_TYPE,
      'null',
      '[]',
      '[{"type":"event_callback"}]',
      '"event_callback"',
      '42',
      'true',
      '{"type":',
      '',
    ],
    [FORM, 'payload=null', 'payload=%5B%5D', 'payload=7'],
  ] as const)
    for (const body of bodies) {
      const startedAtMs = performance.now();
      expect(await signed.send(type, body), body).toEqual({ status: 400, body: '' });
      // Bolt would wait for three seconds.
      expect(performance.now() - startedAtMs).toBeLessThan(2_500);
    }
  for (const body of ['null', CHALLENGE])
    expect((await signed.send(JSON_TYPE, body, { signature: 'wrong' })).status).toBe(401);
  expect((await signed.send(JSON_TYPE, `"${'x'.repeat(5 * 1024 * 1024)}"`)).status).toBe(413);

  expect(await signed.send(JSON_TYPE, CHALLENGE)).toEqual({ status: 200, body: '{"challenge":"x"}' });
  expect((await signed.send(FORM, 'ssl_check=1', { signature: 'wrong' })).status).toBe(200);
  const command = { channelId: general, userId: alice, text: 'Document it' };
  expect((await signed.sendCommand(command)).status).toBe(200);
  await world.started('Document it');
});
