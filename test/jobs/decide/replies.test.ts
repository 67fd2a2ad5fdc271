import { describe, expect, test } from 'vitest';
import { failures, HOUR_MS, MINUTE_MS, SECOND_MS } from '../support/builders.ts';
import { aWorkingJob } from '../support/stages.ts';
import {
  edits,
  fails,
  goesOut,
  happens,
  live,
  passes,
  removes,
  resends,
  says,
  tsOf,
} from '../support/story.ts';

const anHour = passes(HOUR_MS);
const limited = fails({ ...failures.rateLimited, retryAfterMs: HOUR_MS });
const tooLong = 'x'.repeat(20_001);

/** A job whose API is away, so that replies wait for an hour. */
const aJobHeldUp = () => live(aWorkingJob(), says('first'), goesOut, limited);
/** Two replies that are on their way in one call. */
const onTheirWay = () => live(aWorkingJob(), says('first'), says('second'), goesOut);

describe('editing a reply that waits (F3)', () => {
  test('to nothing, or beyond the limit, is refused with the reason; mended, it goes out after Send again', () => {
    const world = live(aJobHeldUp(), says('second'), edits(2, tooLong));
    expect(world.states).toEqual(['waiting', 'not_sent']);
    expect(world.news.at(-1)).toContain('20,001 characters');
    expect(live(world, edits(2, 'shorter')).states).toEqual(['waiting', 'not_sent']);
    expect(live(world, resends, anHour).messages.at(-1)).toBe('first\n\nshorter');
  });
});

describe('deleting a reply (F3)', () => {
  test('that waits alone leaves nothing to send, and no trouble behind', () => {
    expect(
      live(aWorkingJob(), says('never mind the table'), removes(1), passes(10 * SECOND_MS)).messages,
    ).toEqual([]);
    const world = live(aWorkingJob(), says('never mind the table'), goesOut, limited);
    expect(world.job.trouble).not.toBeNull();
    expect(live(world, removes(1)).job.trouble).toBeNull();
  });

  test('that was not sent takes it out of Send again', () => {
    const world = live(aWorkingJob(), says(tooLong), removes(1), resends);
    expect(world.states).toEqual(['withdrawn']);
    expect(world.told.filter(({ kind }) => kind === 'message_rejected')).toHaveLength(1);
  });
});

describe('a reply that is deleted while its call is under way (F4)', () => {
  test('does not go out again after a rate limit, though an edit of it is delivered later; the other one does', () => {
    const world = live(onTheirWay(), removes(1), edits(1, 'other words'), limited);
    expect(world.states).toEqual(['withdrawn', 'waiting']);
    expect(live(world, anHour).messages).toEqual(['first\n\nsecond', 'second']);
  });

  test('holds nothing up if it was the only one', () => {
    const world = live(onTheirWay(), removes(1), removes(2), limited, anHour);
    expect([world.messages, world.job.trouble]).toEqual([['first\n\nsecond'], null]);
  });

  test.each([
    ['refused', failures.rejected, 'not_sent'],
    ['of unknown fate', failures.timeout, 'unknown'],
  ] as const)('is not offered again if the call is %s', (_what, failure, state) => {
    const world = live(onTheirWay(), removes(1), fails(failure));
    expect(world.states).toEqual(['withdrawn', state]);
    expect(world.news.at(-1)).toContain('1');
    expect(live(world, resends, anHour).messages.at(-1)).toBe('second');
  });
});

describe('a reply that is edited while its call is under way (F3)', () => {
  test('goes out as it reads now if it has to go again', () => {
    const world = live(onTheirWay(), edits(1, 'new words'));
    expect(world.messages).toEqual(['first\n\nsecond']);
    expect(live(world, limited, anHour).messages.at(-1)).toBe('new words\n\nsecond');
  });

  test('into an aside is kept out, offered to nobody, and not counted on the card, if the agent did not take it', () => {
    const world = live(onTheirWay(), edits(1, 'aside never mind'), fails(failures.rejected));
    expect(world.states).toEqual(['aside', 'not_sent']);
    expect(world.news.at(-1)).toContain('1');
    const only = live(aWorkingJob(), says('only'), goesOut, edits(1, 'aside never mind'));
    only.tasks.delete('refresh_card');
    live(only, fails(failures.unreachable));
    expect([only.states, only.tasks.has('refresh_card')]).toEqual([['aside'], true]);
  });

  test('into "mute" mutes the thread if the agent did not take it', () => {
    const world = live(onTheirWay(), edits(1, 'mute'), limited);
    expect([world.states, world.job.muted]).toEqual([['excluded', 'waiting'], true]);
  });

  test('to nothing is refused with the reason, and the other one goes out', () => {
    const world = live(onTheirWay(), edits(1, ' '), limited);
    expect(world.states).toEqual(['not_sent', 'waiting']);
    expect(live(world, anHour).messages.at(-1)).toBe('second');
  });

  test('of unknown fate goes out as it reads after Send again', () => {
    const world = live(onTheirWay(), fails(failures.timeout), edits(1, 'first, better'), resends, anHour);
    expect(world.messages.at(-1)).toBe('first, better\n\nsecond');
  });

  test('of unknown fate can be corrected if the answer comes after all: the agent has the old words', () => {
    const world = onTheirWay();
    const callId = world.open('send_message')[0]?.id ?? '';
    live(world, fails(failures.timeout), edits(1, 'first, better'));
    live(world, happens({ type: 'message_accepted', callId, agentJobId: 'agent-1', agentJob: null }));
    expect(world.states).toEqual(['sent', 'sent']);
    live(world, happens({ type: 'correction_pressed', messageTs: tsOf(1) }), anHour);
    expect(world.messages.at(-1)).toContain('first, better');
  });
});

describe('what a person wrote in the form (W3)', () => {
  const written = { userId: 'U3', text: 'Add a table' } as const;

  test('is shown in the thread, and goes to the agent then, once', () => {
    const world = live(aWorkingJob(), happens({ type: 'follow_up_written', ...written }), passes(MINUTE_MS));
    expect([world.news.at(-1), world.messages]).toEqual(['follow-up by U3: Add a table', []]);
    const shown = happens({ type: 'follow_up_shown', messageTs: '5.000000', ...written });
    expect(live(world, shown, shown, goesOut).messages).toEqual(['Add a table']);
  });

  test('goes to the agent also where Slack does not show it, or the thread is muted', () => {
    const announcement = { kind: 'follow_up', ...written } as const;
    const refused = { type: 'post_refused', callId: 'c', announcement, reason: 'restricted_action' } as const;
    expect(live(aWorkingJob(), says('mute'), happens(refused), goesOut).messages).toEqual(['Add a table']);
  });
});

test('replies that wait are counted, not those that were refused: a refusal blocks nobody', () => {
  const refused = Array.from({ length: 250 }, () => says(tooLong));
  expect(live(aWorkingJob(), ...refused, says('short'), goesOut).messages).toEqual(['short']);
});
