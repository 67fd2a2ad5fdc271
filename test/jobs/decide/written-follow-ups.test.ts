import { expect, test } from 'vitest';
import { SECOND_MS } from '../support/builders.ts';
import { anEndedJob } from '../support/stages.ts';

const written = { userId: 'U3', text: 'Add a table' } as const;

test('what a person wrote in the form is shown in the thread, and goes to the agent then (W3)', () => {
  const world = anEndedJob();
  world.apply({ type: 'follow_up_written', ...written });
  expect(world.news.at(-1)).toBe('follow-up by U3: Add a table');
  world.advance(10 * SECOND_MS);
  expect(world.messages).toEqual([]);
  world.apply({ type: 'follow_up_shown', messageTs: '5.000000', ...written });
  world.apply({ type: 'follow_up_shown', messageTs: '5.000000', ...written });
  world.advance(4 * SECOND_MS);
  expect(world.messages).toEqual(['Add a table']);
});

test('it goes to the agent also where Slack does not show it, or the thread is muted (W3)', () => {
  const world = anEndedJob();
  world.reply('mute');
  const announcement = { kind: 'follow_up', ...written } as const;
  world.apply({ type: 'post_refused', callId: 'c', announcement, reason: 'restricted_action' });
  world.advance(4 * SECOND_MS);
  expect(world.messages).toEqual(['Add a table']);
});
