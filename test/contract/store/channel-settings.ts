import { describe, expect, test } from 'vitest';
import { type OpenStore, useStore } from './opened.ts';

const first = { projectName: 'api', noticeChannels: ['C9'], followUpWindowMs: 0 };
const second = { followUpMode: 'mentions' as const };

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
  });
}
