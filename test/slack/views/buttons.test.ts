import { describe, expect, test } from 'vitest';
import { decodeButton } from '../../../src/slack/views/buttons.ts';
import { fc } from '../../support/properties.ts';

describe('a button', () => {
  test('says which job and call it is about', () => {
    expect(decodeButton(JSON.stringify({ jobId: 'j', callId: 'c' }))).toEqual({ jobId: 'j', callId: 'c' });
    expect(decodeButton(JSON.stringify({ jobId: 'j' }))).toEqual({ jobId: 'j' });
  });

  test.each(['', '{', 'null', '[]', '{}', '{"jobId":1}', '{"jobId":""}', '{"jobId":"j","callId":2}'])(
    'of somebody else, with value %j, is not ours',
    (value) => expect(decodeButton(value)).toBeNull(),
  );

  test('never crashes the program', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (value) => void decodeButton(value)));
  });
});
