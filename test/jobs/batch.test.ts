import { describe, expect, test } from 'vitest';
import { nextBatch, sendAtMs } from '../../src/jobs/follow-ups/follow-up.ts';
import { fc } from '../support/properties.ts';
import { aFollowUp } from './support/builders.ts';

const at = (receivedAtMs: number) => aFollowUp({ receivedAtMs });
const saying = (text: string) => aFollowUp({ text });

describe('replies go out', () => {
  test('one window after a single reply', () => {
    expect(sendAtMs([at(1_000)], 4_000)).toBe(5_000);
  });

  test('one window after the last of several, in whatever order they are given', () => {
    expect(sendAtMs([at(1_000), at(3_000), at(2_000)], 4_000)).toBe(7_000);
  });

  test('at the latest ten windows after the first, while somebody keeps writing', () => {
    expect(sendAtMs([at(0), at(39_000)], 4_000)).toBe(40_000);
  });

  test('at once without a window', () => {
    expect(sendAtMs([at(1_000), at(2_000)], 0)).toBe(1_000);
  });
});

describe('one message takes', () => {
  test('all replies that wait, a blank line between them', () => {
    const batch = nextBatch([saying('Shorter'), saying('And add a table')], 100);
    expect(batch.prompt).toBe('Shorter\n\nAnd add a table');
    expect(batch.followUps).toHaveLength(2);
  });

  test('as many as fit, to the last character', () => {
    const waiting = [saying('aaaa'), saying('bbbb'), saying('cc')];
    expect(nextBatch(waiting, 10).prompt).toBe('aaaa\n\nbbbb');
    expect(nextBatch(waiting, 9).prompt).toBe('aaaa');
  });

  test('no later reply before an earlier one, though it would fit', () => {
    expect(nextBatch([saying('aaaa'), saying('bbbbbbbbbb'), saying('c')], 8).prompt).toBe('aaaa');
  });

  test('the first one even if it is too long by itself', () => {
    expect(nextBatch([saying('aaaaaaaaaa'), saying('b')], 5).prompt).toBe('aaaaaaaaaa');
  });
});

test('message by message, every reply goes out once and in order', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 })), fc.nat(50), (texts, maxLength) => {
      const waiting = texts.map((text, index) => aFollowUp({ id: `${index}`, text }));
      const sent: string[] = [];
      while (sent.length < waiting.length) {
        const { followUps, prompt } = nextBatch(waiting.slice(sent.length), maxLength);
        expect(followUps.length === 1 || prompt.length <= maxLength).toBe(true);
        sent.push(...followUps.map(({ id }) => id));
      }
      expect(sent).toEqual(waiting.map(({ id }) => id));
    }),
  );
});
