import { expect, test } from 'vitest';
import { describeWithLocalSlack } from '../support/local-slack.ts';
import { perform } from './support/perform.ts';

describeWithLocalSlack('a reply that was missed because of a kill', () => {
  test('goes out before the replies that were written after it', { timeout: 300_000 }, async () => {
    const kill = { at: 'store reply', when: 'before', nth: 1 } as const;
    expect((await perform('missed', 'SQLite', [kill])).problems).toEqual([]);
  });
});
