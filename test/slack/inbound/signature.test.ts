import { expect, test } from 'vitest';
import { signatureIn } from '../../../src/slack/inbound/connection/connection.ts';
import { signedHeaders } from '../../support/slack-requests.ts';

const SECRET = 'the secret of the app';
const NOW_S = 1_760_000_000;

/** As Node hands them on. */
function headersAt(content: string, atSeconds: number): Record<string, string> {
  const headers = signedHeaders({ contentType: 'application/json', body: content }, SECRET, atSeconds);
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function problemOf(headers: Record<string, string>, content: string): string | null {
  const signed = signatureIn(SECRET, headers, NOW_S * 1000);
  if ('problem' in signed) return signed.problem;
  return signed.covers(Buffer.from(content)) ? null : 'signature mismatch';
}

test.each([
  [-301, 'signed too long ago'],
  [-300, null],
  [300, null],
  [301, 'signed for a time to come'],
])('a signature of %i seconds from now: %s', (seconds, problem) => {
  expect(problemOf(headersAt('{}', NOW_S + seconds), '{}')).toBe(problem);
});
