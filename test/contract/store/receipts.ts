import { describe, expect, test } from 'vitest';
import type { FollowUpState, Receipt } from '../../../src/jobs/follow-ups/follow-up.ts';
import { type OpenStore, useStore } from './opened.ts';
import { aFollowUp } from './samples.ts';

export function receiptContract(open: OpenStore): void {
  describe('receipts', () => {
    const opened = useStore(open);
    const stale = (jobId = 'job-1') => opened.run((tx) => tx.followUps.withStaleReceipts(jobId));

    const desired: Readonly<Record<Exclude<FollowUpState, 'withdrawn' | 'excluded'>, Receipt>> = {
      waiting: 'eyes',
      sending: 'eyes',
      sent: 'done',
      not_sent: 'warning',
      unknown: 'warning',
      aside: 'aside',
      muted: 'muted',
    };

    test.each(Object.entries(desired))(
      'a reply that is %s asks for %s, until it is shown',
      async (state, receipt) => {
        const followUp = aFollowUp({ state: state as FollowUpState });
        await opened.write({ followUps: [followUp] });
        expect(await stale()).toEqual([
          { followUpId: followUp.id, messageTs: followUp.messageTs, placed: [], desired: receipt },
        ]);
        await opened.run((tx) => tx.followUps.receiptShown(followUp.id, receipt));
        expect(await stale()).toEqual([]);
      },
    );

    test('a sent reply wants another receipt than the one shown', async () => {
      await opened.write({ followUps: [aFollowUp()] });
      await opened.run((tx) => tx.followUps.receiptShown('follow-up-1', 'eyes'));
      const sent = aFollowUp({ state: 'sent' });
      await opened.write({ followUps: [sent] });
      expect(await stale()).toMatchObject([{ placed: ['eyes'], desired: 'done' }]);
    });

    test('an attempted reaction is stale until confirmed, with all others that may be there', async () => {
      await opened.write({ followUps: [aFollowUp()] });
      const tried = (...receipts: Receipt[]) =>
        opened.run((tx) => tx.followUps.receiptsTried('follow-up-1', receipts));
      await tried('eyes');
      expect(await stale()).toMatchObject([{ placed: ['eyes'], desired: 'eyes' }]);
      await opened.run((tx) => tx.followUps.receiptShown('follow-up-1', 'eyes'));
      expect(await stale()).toEqual([]);
      await tried('eyes', 'warning');
      expect(await stale()).toMatchObject([{ placed: ['eyes', 'warning'], desired: 'eyes' }]);
    });

    test('a reply that was withdrawn needs none', async () => {
      const followUps = [aFollowUp({ state: 'withdrawn' })];
      await opened.write({ followUps });
      expect(await stale()).toEqual([]);
    });

    test('the reaction at a reply of which nothing is sent is to be taken away', async () => {
      const files = aFollowUp({ state: 'excluded', text: '' });
      await opened.write({ followUps: [files] });
      expect(await stale()).toEqual([]);
      await opened.run((tx) => tx.followUps.receiptShown('follow-up-1', 'eyes'));
      expect(await stale()).toMatchObject([{ placed: ['eyes'], desired: null }]);
      await opened.run((tx) => tx.followUps.receiptShown('follow-up-1', null));
      expect(await stale()).toEqual([]);
    });

    test('they follow the order of the replies, a hundred at a time, and belong to one job', async () => {
      const followUps = Array.from({ length: 120 }, (_, index) =>
        aFollowUp({ id: `f${index}`, messageTs: `${1_700_000_000 + index}.000100` }),
      );
      await opened.write({ followUps: followUps.toReversed() });
      const ids = (await stale()).map((receipt) => receipt.followUpId);
      expect(ids).toEqual(followUps.slice(0, 100).map((followUp) => followUp.id));
      expect(await stale('job-2')).toEqual([]);
    });
  });
}
