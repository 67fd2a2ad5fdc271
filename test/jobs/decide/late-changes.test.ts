import { describe, expect, test } from 'vitest';
import { aReply, failures, HOUR_MS, SECOND_MS } from '../support/builders.ts';
import { aWorkingJob } from '../support/stages.ts';
import type { World } from '../support/world.ts';

/** Two replies that are on their way in one call. */
function onTheirWay(): { world: World; first: string; second: string } {
  const world = aWorkingJob();
  const first = world.reply('first');
  const second = world.reply('second');
  world.advance(4 * SECOND_MS);
  expect(world.states).toEqual(['sending', 'sending']);
  return { world, first, second };
}

function remove(world: World, messageTs: string): void {
  world.apply({ type: 'reply_deleted', messageTs });
}

function edit(world: World, messageTs: string, text: string): void {
  world.apply({ type: 'reply_edited', reply: aReply({ messageTs, text, editedTs: '9.000001' }) });
}

describe('a reply whose deletion arrives first (F3)', () => {
  test('stays away, also when an edit arrives after it', () => {
    const world = aWorkingJob();
    const overtaken = aReply({ messageTs: '2.000009', mentionsBot: true });
    world.apply({ type: 'reply_deleted', messageTs: overtaken.messageTs, overtaken });
    world.apply({ type: 'reply_edited', reply: { ...overtaken, text: 'As edited', editedTs: '9.000001' } });
    world.advance(HOUR_MS);
    expect(world.messages).toEqual([]);
  });
});

describe('a reply that is deleted while its call is under way (F4)', () => {
  test('does not go out again after a rate limit; the other one does', () => {
    const { world, first } = onTheirWay();
    remove(world, first);
    world.messageFails(failures.rateLimited);
    expect(world.states).toEqual(['withdrawn', 'waiting']);
    world.advance(HOUR_MS);
    expect(world.messages).toEqual(['first\n\nsecond', 'second']);
  });

  test('holds nothing up if it was the only one', () => {
    const { world, first, second } = onTheirWay();
    remove(world, first);
    remove(world, second);
    world.messageFails(failures.rateLimited);
    world.advance(HOUR_MS);
    expect(world.messages).toEqual(['first\n\nsecond']);
    expect(world.job.trouble).toBeNull();
  });

  test('stays sent if the agent took it', () => {
    const { world, first } = onTheirWay();
    remove(world, first);
    world.accepted();
    expect(world.states).toEqual(['sent', 'sent']);
  });

  test.each([
    ['refused', failures.rejected, 'not_sent'],
    ['of unknown fate', failures.timeout, 'unknown'],
  ] as const)('is not offered again if the call is %s', (_what, failure, state) => {
    const { world, first } = onTheirWay();
    remove(world, first);
    world.messageFails(failure);
    expect(world.states).toEqual(['withdrawn', state]);
    expect(world.news.at(-1)).toContain('1');
    world.apply({ type: 'resend_pressed', callId: world.buttonCallId });
    world.advance(HOUR_MS);
    expect(world.messages.at(-1)).toBe('second');
  });

  test('stays deleted if an edit of it is delivered later', () => {
    const { world, first } = onTheirWay();
    remove(world, first);
    edit(world, first, 'other words');
    world.messageFails(failures.rateLimited);
    expect(world.states).toEqual(['withdrawn', 'waiting']);
  });
});

describe('a reply that is edited while its call is under way (F3)', () => {
  test('into an aside is kept out, and offered to nobody, if the agent did not take it', () => {
    const { world, first } = onTheirWay();
    edit(world, first, 'aside never mind');
    world.messageFails(failures.rejected);
    expect(world.states).toEqual(['aside', 'not_sent']);
    expect(world.news.at(-1)).toContain('1');
  });

  test('into an aside is no longer counted on the card when the call is to be made again', () => {
    const world = aWorkingJob();
    const only = world.reply('only');
    world.advance(4 * SECOND_MS);
    edit(world, only, 'aside never mind');
    world.tasks.delete('refresh_card');
    world.messageFails(failures.unreachable);
    expect(world.states).toEqual(['aside']);
    expect(world.tasks.has('refresh_card')).toBe(true);
  });

  test('into "mute" mutes the thread if the agent did not take it', () => {
    const { world, first } = onTheirWay();
    edit(world, first, 'mute');
    world.messageFails(failures.rateLimited);
    expect(world.states).toEqual(['excluded', 'waiting']);
    expect(world.job.muted).toBe(true);
  });

  test('to nothing is refused with the reason, and the other one goes out', () => {
    const { world, first } = onTheirWay();
    edit(world, first, ' ');
    world.messageFails(failures.rateLimited);
    expect(world.states).toEqual(['not_sent', 'waiting']);
    world.advance(HOUR_MS);
    expect(world.messages.at(-1)).toBe('second');
  });
});

describe('a reply of unknown fate that is edited', () => {
  test('goes out as it reads after Send again', () => {
    const { world, first } = onTheirWay();
    world.messageFails(failures.timeout);
    edit(world, first, 'first, better');
    world.apply({ type: 'resend_pressed', callId: world.buttonCallId });
    world.advance(HOUR_MS);
    expect(world.messages.at(-1)).toBe('first, better\n\nsecond');
  });

  test('can be corrected if the answer comes after all: the agent has the old words', () => {
    const { world, first } = onTheirWay();
    const [call] = world.open('send_message');
    world.messageFails(failures.timeout);
    edit(world, first, 'first, better');
    const found = {
      type: 'message_accepted',
      callId: call?.id ?? '',
      agentJobId: 'agent-1',
      agentJob: null,
    } as const;
    world.apply(found);
    expect(world.states).toEqual(['sent', 'sent']);
    world.apply({ type: 'correction_pressed', messageTs: first });
    world.advance(HOUR_MS);
    expect(world.messages.at(-1)).toContain('first, better');
  });
});
