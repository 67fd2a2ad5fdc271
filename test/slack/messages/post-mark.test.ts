import { describe, expect, test } from 'vitest';
import { callBlockId, callIdOfBlock } from '../../../src/slack/messages/post-mark.ts';

describe('the first block of a post', () => {
  test('says which call posted it', () => {
    expect(callIdOfBlock(callBlockId('call-7'))).toBe('call-7');
  });

  test('of somebody else says nothing', () => {
    expect(callIdOfBlock('somebody-else')).toBeNull();
    expect(callIdOfBlock('call:')).toBeNull();
  });
});
