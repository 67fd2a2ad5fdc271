import { expect, test } from 'vitest';
import {
  type EffectiveChannelSettings,
  settingsForm,
  settingsSavedView,
} from '../../../src/slack/views/form.ts';

const handbook = { id: 'p1', name: 'handbook', noticeChannels: [] };
const api = { id: 'p2', name: 'api', noticeChannels: [] };
const data = { channelId: 'C1', responseUrl: null };
const settings: EffectiveChannelSettings = {
  project: handbook,
  noticeChannels: [],
  followUpMode: 'every_reply',
  followUpWindowMs: 4_000,
};
const idsOf = (form: ReturnType<typeof settingsForm>) => form.blocks.map(({ block_id }) => block_id);

test('the form shows the settings as they hold; a project is asked for only if there is a choice (L3)', () => {
  const form = settingsForm(
    data,
    { ...settings, project: api, noticeChannels: ['C9'], followUpMode: 'mentions', followUpWindowMs: 15_000 },
    [handbook, api],
  );
  expect(idsOf(form)).toEqual([
    undefined,
    'project',
    'follow_up_mode',
    'follow_up_window',
    'notice_channels',
  ]);
  expect(form.blocks.slice(1)).toMatchObject([
    { element: { initial_option: { value: 'p2' } } },
    { element: { initial_option: { value: 'mentions' } } },
    { element: { initial_option: { value: '15000', text: { text: '15 seconds' } } } },
    { element: { initial_conversations: ['C9'] } },
  ]);
  expect(idsOf(settingsForm(data, settings, [handbook]))).not.toContain('project');
});

test('the form says how many notice channels it takes, and shows all that hold (L3)', () => {
  const noticeChannels = Array.from({ length: 10 }, (_, index) => `C${index}`);
  expect(settingsForm(data, { ...settings, noticeChannels }, [handbook]).blocks.at(-1)).toMatchObject({
    hint: { text: expect.stringContaining('At most 10,') },
    element: { max_selected_items: 10, initial_conversations: noticeChannels },
  });
});

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

test('what was saved is confirmed (L3)', () => {
  expect(settingsSavedView('C1').text).toBe('✅ *Settings saved* for <#C1>. They apply from now on.');
});
