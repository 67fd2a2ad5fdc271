import { describe, expect, test } from 'vitest';
import { decodeErrorText, decodeJob } from '../../src/agent/client.ts';
import { fc } from '../support/properties.ts';

const json = fc.jsonValue({ noUnicodeString: false });
const maybe = (likely: fc.Arbitrary<unknown>) => fc.oneof({ weight: 3, arbitrary: likely }, json);
const text = fc.string({ unit: 'binary' });

const jobLike = fc.record(
  {
    id: maybe(text),
    status: maybe(fc.oneof(fc.constantFrom('active', 'completed', ' failed ', 'paused'), text)),
    source: maybe(fc.record({ repository: maybe(text), ref: maybe(text) }, { requiredKeys: [] })),
    model: maybe(text),
    prLink: maybe(fc.webUrl()),
    archivedAt: json,
  },
  { requiredKeys: [] },
);

describe('reading a job', () => {
  test('any JSON is a job with clean texts, or none', () => {
    fc.assert(
      fc.property(fc.oneof(jobLike, json), (body) => {
        const job = decodeJob(body, 'test-key', ['summary', 'activity']);
        if (job === null) return;
        expect(job.id).not.toBe('');
        expect(job.status.length).toBeGreaterThan(0);
        expect(job.status.length).toBeLessThanOrEqual(100);
        const { can: _, ...facts } = job;
        for (const fact of Object.values(facts)) {
          expect(fact === null || (fact.isWellFormed() && !fact.includes('\0') && fact !== '')).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('an unknown status is kept, trimmed and cut', () => {
    expect(decodeJob({ id: 'a', status: ' waiting_for_review ' }, 'test-key')?.status).toBe(
      'waiting_for_review',
    );
    expect(decodeJob({ id: 'a', status: 'x'.repeat(101) }, 'test-key')?.status).toBe('x'.repeat(100));
    expect(decodeJob({ id: 'a', status: `${'x'.repeat(99)}😀` }, 'test-key')?.status).toBe('x'.repeat(99));
  });

  test('a number as id is as good as a text', () => {
    expect(decodeJob({ id: 42, status: 'active' }, 'test-key')?.id).toBe('42');
  });

  test.each([[''], ['  '], [null], [1.5], [{}], ['a\0'], ['\ud800']])('%j is no id', (id) => {
    expect(decodeJob({ id, status: 'active' }, 'test-key')).toBeNull();
  });
});

test('any JSON of an error has a short, clean text without the key, or none', () => {
  const secret = 'key_1';
  const words = fc
    .array(fc.constantFrom(secret, 'key', '_1', ' ', 'é', '😀'.repeat(60)))
    .map((all) => all.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.record({ error: maybe(words) }), json), (body) => {
      const error = decodeErrorText(body, secret);
      if (error === null) return;
      expect(error).not.toContain(secret);
      expect(error.length).toBeLessThanOrEqual(500);
      expect(error.isWellFormed()).toBe(true);
    }),
  );
});
