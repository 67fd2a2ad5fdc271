import { expect, test } from 'vitest';
import { type EffectiveChannelSettings, settingsForm } from '../../../src/slack/views/form.ts';

const handbook = { id: 'p1', name: 'handbook', noticeChannels: [] };
const data = { channelId: 'C1', responseUrl: null };
const settings: EffectiveChannelSettings = {
  project: handbook,
  noticeChannels: [],
  followUpMode: 'every_reply',
  followUpWindowMs: 4_000,
};

test('the windows that can be chosen are the usual ones, and the one that holds', () => {
  const windowsBeside = (followUpWindowMs: number) => {
    const form = settingsForm(data, { ...settings, followUpWindowMs }, [handbook]);
    const menu = form.blocks.find(({ block_id: id }) => id === 'follow_up_window');
    const { options = [] } = menu && 'element' in menu && 'options' in menu.element ? menu.element : {};
    return options.map(({ value }) => Number(value));
  };
  expect(windowsBeside(4_000)).toEqual([0, 4_000, 10_000, 30_000, 60_000, 120_000, 300_000]);
  expect(windowsBeside(15_000)).toContain(15_000);
});
