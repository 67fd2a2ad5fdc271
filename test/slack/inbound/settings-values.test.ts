import type { ViewOutput } from '@slack/bolt';
import { expect, test } from 'vitest';
import { chosenSettings } from '../../../src/slack/inbound/forms/settings.ts';

const handbook = { id: 'p1', name: 'handbook', noticeChannels: [] };
const api = { id: 'p2', name: 'api', noticeChannels: [] };
const held = { projectId: 'p2', followUpMode: 'mentions', followUpWindowMs: 15_000, noticeChannels: ['C9'] };
const data = { channelId: 'C1', responseUrl: null, held };

/** What the form makes of these values. */
function chosen(values: Readonly<Record<string, object>>) {
  const state = {
    values: Object.fromEntries(Object.entries(values).map(([id, value]) => [id, { [id]: value }])),
  };
  return chosenSettings({ projects: [handbook, api] }, data, { state } as unknown as ViewOutput);
}
const option = (value: string) => ({ selected_option: { value } });

test('what is not filled in stays as it is (L3)', () => {
  const asBefore = {
    project: api,
    followUpMode: 'mentions',
    followUpWindowMs: 15_000,
    noticeChannels: ['C9'],
  };
  expect(chosen({})).toEqual(asBefore);
  expect(chosen({ notice_channels: { selected_conversations: [] } })).toEqual({
    ...asBefore,
    noticeChannels: [],
  });
});

test.each([
  ['a project that is not there any more', 'project', option('p3')],
  ['a mode that there is not', 'follow_up_mode', option('__proto__')],
  ['a window that there is not', 'follow_up_window', option('1')],
  ['a window that is no number', 'follow_up_window', option('x')],
  [
    'too many channels',
    'notice_channels',
    { selected_conversations: Array.from({ length: 11 }, (_, n) => `C${n}`) },
  ],
  ['what is no channel', 'notice_channels', { selected_conversations: ['<!channel>'] }],
])('%s is refused at its field (L3)', (_what, field, value) => {
  expect(() => chosen({ [field]: value })).toThrow(expect.objectContaining({ field }));
});
