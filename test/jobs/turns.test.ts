import { expect, test } from 'vitest';
import type { Announcement, TurnEnded } from '../../src/jobs/announcement.ts';
import { type PastCall, turnsOf } from '../../src/jobs/follow-ups/turns.ts';

const call = (request: PastCall['request'], facts: Partial<PastCall>): PastCall => ({
  request,
  state: 'done',
  createdAtMs: 0,
  endedAtMs: null,
  ...facts,
});
const prompt = (endedAtMs: number, state: PastCall['state'] = 'done') =>
  call({ kind: 'create_job', prompt: 'Explain' }, { endedAtMs, state });
const followUp = (endedAtMs: number | null, state: PastCall['state'] = 'done') =>
  call({ kind: 'send_message', agentJobId: 'agent-1', prompt: 'Shorter' }, { endedAtMs, state });
const told = (announcement: Announcement, createdAtMs: number) =>
  call({ kind: 'announce', announcement }, { createdAtMs });
const end = { branch: null, lastedMs: null, replies: { count: 0, authors: [] }, undelivered: null };
const finished = (atMs: number, link: TurnEnded['link'] = null) =>
  told({ kind: 'turn_ended', link, ...end }, atMs);

test('a turn has the endings that were announced before the next turn began', () => {
  expect(
    turnsOf([
      prompt(10),
      told({ kind: 'started' }, 10),
      finished(20, { url: 'https://example.com/7', is: 'first' }),
      followUp(30),
    ]),
  ).toEqual([
    {
      kind: 'prompt',
      text: 'Explain',
      startedAtMs: 10,
      isAccepted: true,
      outcomes: [
        { kind: 'finished', atMs: 20 },
        { kind: 'pull_request', atMs: 20 },
      ],
    },
    { kind: 'follow_up', text: 'Shorter', startedAtMs: 30, isAccepted: true, outcomes: [] },
  ]);
});

test('a follow-up that was wanted during a turn, and sent after it, does not take its ending', () => {
  const [first, second] = turnsOf([prompt(10), followUp(30), finished(20), finished(40)]);
  expect(first?.outcomes).toEqual([{ kind: 'finished', atMs: 20 }]);
  expect(second?.outcomes).toEqual([{ kind: 'finished', atMs: 40 }]);
});

test('what was refused, or is not sent yet, is no turn; what may have arrived is one', () => {
  const turns = turnsOf([
    prompt(5, 'failed'),
    prompt(10),
    followUp(20, 'unknown'),
    followUp(null, 'pending'),
  ]);
  expect(turns.map(({ startedAtMs, isAccepted }) => ({ startedAtMs, isAccepted }))).toEqual([
    { startedAtMs: 10, isAccepted: true },
    { startedAtMs: 20, isAccepted: false },
  ]);
});
