import { describe, expect, test } from 'vitest';
import { callBlockId, callIdOfBlock, decodeButton, encodeButton } from '../../../src/slack/protocol/ids.ts';
import { fc } from '../../support/properties.ts';

describe('a button', () => {
  test('tells which job and call it is about', () => {
    expect(decodeButton(encodeButton({ jobId: 'j', callId: 'c' }))).toEqual({ jobId: 'j', callId: 'c' });
    expect(decodeButton(encodeButton({ jobId: 'j' }))).toEqual({ jobId: 'j' });
  });

  test.each(['', '{', 'null', '[]', '{}', '{"jobId":1}', '{"jobId":""}', '{"jobId":"j","callId":2}'])(
    'of somebody else, with value %j, is not ours',
    (value) => expect(decodeButton(value)).toBeNull(),
  );

  test('never crashes the program', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (value) => void decodeButton(value)));
  });
});

describe('the first block of a post', () => {
  test('tells which call posted it', () => {
    expect(callIdOfBlock(callBlockId('call-7'))).toBe('call-7');
  });

  test('of somebody else tells nothing', () => {
    expect(callIdOfBlock('somebody-else')).toBeNull();
    expect(callIdOfBlock('call:')).toBeNull();
  });
});
