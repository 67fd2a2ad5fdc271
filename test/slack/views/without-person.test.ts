import { describe, expect, test } from 'vitest';
import { cardView, jobLine } from '../../../src/slack/views/job.ts';
import { detailsView } from '../../../src/slack/views/status.ts';
import { noticeView } from '../../../src/slack/views/turn-ended.ts';
import { aJob, noNames } from './a-job.ts';
import { announcementView } from './support/thread.ts';

const job = aJob({ requesterId: null, recipe: 'release-notes' });
const reader = { userId: 'U9', channelId: 'C1', workspaceUrl: null, names: noNames };
const nothing = { waiting: 0, untilMs: null, sendNow: null, undecided: null };

describe('a job that a recipe started by itself names the recipe in place of a person', () => {
  test('on its card, in a notice, in a list and in full', () => {
    const card = cardView(job, { queue: nothing, names: noNames });
    expect(JSON.stringify(card.blocks)).toContain('recipe release-notes');
    expect(noticeView(job, 'https://github.com/a/b/pull/1', null, noNames).text).toContain(
      '· by recipe release-notes',
    );
    expect(JSON.stringify(jobLine(job, reader))).toContain(' by recipe release-notes');
    const { text } = detailsView({ job, turns: [], unsent: [] }, reader);
    expect(text).toContain('Asked by recipe release-notes in <#C1>');
  });

  test('and mentions nobody where the person who asked would be', () => {
    const ended = { kind: 'failed' } as const;
    const { text } = announcementView(ended, { ...job, agentJob: null }, noNames);
    expect(text).toMatch(/^❌ \*Failed\.\*/);
    expect(text).not.toContain('<@');
    const gone = announcementView({ kind: 'vanished' }, job, noNames);
    expect(gone.text).not.toContain('null');
  });

  test('but names a person who ran it', () => {
    const byAlice = aJob({ requesterId: 'U1', recipe: 'release-notes' });
    const names = new Map([['U1', 'Alice']]);
    const card = cardView(byAlice, { queue: nothing, names });
    expect(JSON.stringify(card.blocks)).toContain('Alice');
    expect(JSON.stringify(card.blocks)).not.toContain('recipe');
  });

  test('a name that would mean something to Slack is shown as it is written', () => {
    const hostile = aJob({ requesterId: null, recipe: '<!channel> *x*' });
    expect(noticeView(hostile, 'https://github.com/a/b/pull/1', null, noNames).text).not.toContain(
      '<!channel>',
    );
  });
});
