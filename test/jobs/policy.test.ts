import { expect, test } from 'vitest';
import { type ChannelSettings, channelSettingsOf, defaultProject, policyFor } from '../../src/jobs/policy.ts';
import type { Projects } from '../../src/jobs/requests/command.ts';
import { policy } from './support/builders.ts';

const projects: Projects = [
  { id: 'p1', name: 'handbook', noticeChannels: [] },
  { id: 'p2', name: 'api', noticeChannels: ['C-API', 'C-NEWS'] },
];
const rules = {
  noticeChannels: ['C-NEWS'],
  projects,
  channels: new Map<string, ChannelSettings>([
    [
      'C1',
      { projectName: 'api', noticeChannels: ['C-DOCS'], followUpMode: 'mentions', followUpWindowMs: 10_000 },
    ],
  ]),
};
const inChannel = (channelId: string, projectId = 'p1') => ({ channelId, projectId });

test('a channel of which nothing is set is as everywhere (L3)', () => {
  expect(policyFor(policy, rules, inChannel('C2'), null)).toEqual(policy);
  expect(defaultProject(projects, channelSettingsOf(rules, 'C2', null)).name).toBe('handbook');
});

test('what the operator set for a channel goes before what is set for everywhere (L3)', () => {
  expect(policyFor(policy, rules, inChannel('C1'), null)).toEqual({
    ...policy,
    noticeChannels: ['C-NEWS', 'C-DOCS'],
    followUpMode: 'mentions',
    followUpWindowMs: 10_000,
  });
  expect(defaultProject(projects, channelSettingsOf(rules, 'C1', null)).name).toBe('api');
});

test('what the administrators of a channel saved goes before both, one by one (L3)', () => {
  const saved = { noticeChannels: [], followUpWindowMs: 0 };
  expect(policyFor(policy, rules, inChannel('C1'), saved)).toMatchObject({
    noticeChannels: ['C-NEWS'],
    followUpMode: 'mentions',
    followUpWindowMs: 0,
  });
  expect(defaultProject(projects, channelSettingsOf(rules, 'C1', { projectName: 'handbook' })).name).toBe(
    'handbook',
  );
});

test('a pull request is announced in the channels of everywhere, of its project and of its channel, each once (N1)', () => {
  const saved = { noticeChannels: ['C-NEWS', 'C-API', 'C-MORE'] };
  const { noticeChannels } = policyFor(policy, rules, inChannel('C1', 'p2'), saved);
  expect(noticeChannels).toEqual(['C-NEWS', 'C-API', 'C-MORE']);
});

test('a project that is no longer there leaves the first as default, and its notices out', () => {
  expect(defaultProject(projects, channelSettingsOf(rules, 'C1', { projectName: 'gone' })).name).toBe(
    'handbook',
  );
  expect(policyFor(policy, rules, inChannel('C2', 'gone'), null).noticeChannels).toEqual(['C-NEWS']);
});
