import { describe, expect, test } from 'vitest';
import { type OpenStore, useStore } from './opened.ts';
import { NOW_MS } from './samples.ts';

const first = {
  settings: { projectName: 'api', noticeChannels: ['C9'], followUpWindowMs: 0 },
  changedBy: 'U1',
  changedAtMs: NOW_MS,
};
const second = { settings: { followUpMode: 'mentions' as const }, changedBy: 'U2', changedAtMs: NOW_MS + 1 };

export function settingsContract(open: OpenStore): void {
  describe('settings of channels', () => {
    const opened = useStore(open);
    const get = (teamId: string, channelId: string) =>
      opened.run((tx) => tx.channelSettings.get(teamId, channelId));
    const replace = (settings: typeof first | typeof second) =>
      opened.run((tx) => tx.channelSettings.replace('T1', 'C1', settings));

    test('they are read as they were saved last; nothing is saved for other channels', async () => {
      expect(await get('T1', 'C1')).toBeNull();
      await replace(first);
      expect(await get('T1', 'C1')).toEqual(first);
      await replace(second);
      expect(await get('T1', 'C1')).toEqual(second);
      expect(await get('T1', 'C2')).toBeNull();
      expect(await get('T2', 'C1')).toBeNull();
    });

    test('the notice channels of a workspace are all that are saved for its channels', async () => {
      expect(await opened.run((tx) => tx.channelSettings.noticeChannels('T1'))).toEqual([]);
      await replace(first);
      await opened.run((tx) => tx.channelSettings.replace('T1', 'C2', second));
      await opened.run((tx) => tx.channelSettings.replace('T2', 'C3', first));
      expect(await opened.run((tx) => tx.channelSettings.noticeChannels('T1'))).toEqual(['C9']);
    });

    test('whoever saves them gets what was saved before', async () => {
      expect(await replace(first)).toBeNull();
      expect(await replace(second)).toEqual(first);
    });

    test('of two people who save them at once, one learns of the other', async () => {
      const before = await Promise.all([replace(first), replace(second)]);
      const last = await get('T1', 'C1');
      expect(before.filter((one) => one === null)).toHaveLength(1);
      expect([first, second]).toContainEqual(last);
      expect(before.find((one) => one !== null)).toEqual(last?.changedBy === 'U1' ? second : first);
    });
  });
}
