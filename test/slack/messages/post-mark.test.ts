import { describe, expect, test } from 'vitest';
import { callBlockId, isPostOf } from '../../../src/slack/messages/message-event.ts';

const message = (...ids: string[]) => ({ blocks: ids.map((block_id) => ({ block_id })) });

describe('the first block of a post', () => {
  test('says which call posted it', () => {
    expect(isPostOf(message(callBlockId('call-7'), 'more'), 'call-7')).toBe(true);
  });

  test('of another call, or of somebody else, does not', () => {
    expect(isPostOf(message(callBlockId('call-8')), 'call-7')).toBe(false);
    expect(isPostOf(message('somebody-else', 'call:'), 'call-7')).toBe(false);
  });
});
