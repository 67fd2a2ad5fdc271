import type { ViewOutput } from '@slack/bolt';
import { expect, test } from 'vitest';
import { chosenSettings } from '../../../src/slack/inbound/forms/settings.ts';
import type { EffectiveChannelSettings } from '../../../src/slack/views/form.ts';

const handbook = { id: 'p1', name: 'handbook', noticeChannels: [] };
const api = { id: 'p2', name: 'api', noticeChannels: [] };
const configured: EffectiveChannelSettings = {
  project: api,
  followUpMode: 'mentions',
  followUpWindowMs: 15_000,
  noticeChannels: ['C0NOTICES'],
};
const option = (value: string) => ({ selected_option: { value } });
const shown = {
  project: option('p2'),
  follow_up_mode: option('mentions'),
  follow_up_window: option('15000'),
  notice_channels: { selected_conversations: ['C0NOTICES'] },
};

/** What the form makes of these values. */
function chosen(values: Readonly<Record<string, object>>) {
  const state = {
    values: Object.fromEntries(
      Object.entries({ ...shown, ...values }).map(([id, value]) => [id, { [id]: value }]),
    ),
  };
  return chosenSettings([handbook, api], configured, { state } as unknown as ViewOutput);
}

test('what is as configured follows the configuration, and anything else is saved (L3)', () => {
  expect(chosen({})).toEqual({});
  expect(chosen({ project: {} })).toEqual({});
  expect(chosen({ project: option('p1'), follow_up_window: option('0') })).toEqual({
    projectName: 'handbook',
    followUpWindowMs: 0,
  });
  expect(chosen({ notice_channels: { selected_conversations: [] } })).toEqual({ noticeChannels: [] });
});

test.each([
  ['a project that is not there any more', 'project', option('p3')],
  ['a mode that there is not', 'follow_up_mode', option('__proto__')],
  ['a window longer than any', 'follow_up_window', option('600001')],
  ['a window that is no number', 'follow_up_window', option('x')],
  [
    'too many channels',
    'notice_channels',
    { selected_conversations: Array.from({ length: 11 }, (_, n) => `C0NOTICES${n}`) },
  ],
  ['what is no channel', 'notice_channels', { selected_conversations: ['<!channel>'] }],
])('%s is refused at its field (L3)', (_what, field, value) => {
  expect(() => chosen({ [field]: value })).toThrow(expect.objectContaining({ field }));
});
