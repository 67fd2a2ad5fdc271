import { describe, expect, test } from 'vitest';
import type { Job } from '../../../src/jobs/job.ts';
import type { PullRequestFacts } from '../../../src/jobs/pull-requests/pull-request.ts';
import { jobLine } from '../../../src/slack/views/job.ts';
import { noticeView, privateNoticeView } from '../../../src/slack/views/turn-ended.ts';
import { aJob, anAgentJob, completed, fivePastTwoMs, noNames } from './a-job.ts';
import { announcementView, postedView } from './support/thread.ts';

const url = 'https://github.com/acme/docs/pull/14';
const link = `<${url}|acme/docs#14>`;
const preview = 'https://docs-pr-14.acme.example/';
const permalink = 'https://acme.slack.com/archives/C1/p1795183500000100';
const open: PullRequestFacts = {
  title: 'Document the rate limits',
  state: 'open',
  size: { files: 3, lines: { added: 120, removed: 8 } },
  checks: 'passing',
};
const merged: PullRequestFacts = { ...open, state: 'merged', review: 'approved' };

/** A job that is done, whose pull request the code host has described. */
function jobWith(facts: PullRequestFacts, more: Partial<Job> = {}): Job {
  return aJob({
    stage: { ...completed, tookMs: 6 * 60_000 },
    agentJob: anAgentJob({ status: 'completed', prLink: url }),
    announcedPrLink: url,
    pullRequests: [{ url, facts, seenAtMs: fivePastTwoMs, reminders: 0 }],
    ...more,
  });
}

const nobody = { lastedMs: null, replies: { count: 0, authors: [] }, undelivered: null };
const first = { url, is: 'first' } as const;
const ended = { kind: 'turn_ended', link: first, branch: 'agent/limits', ...nobody } as const;
const linesOf = (facts: PullRequestFacts) =>
  announcementView(ended, jobWith(facts), noNames).text.split('\n');

describe('the message with a pull request says what the code host says (P1)', () => {
  test.each<[PullRequestFacts, ...string[]]>([
    [open, '*Document the rate limits*', '+120 −8 in 3 files · ✅ checks passing'],
    [{ checks: 'failing', review: 'changes_requested' }, '❌ checks failing · changes requested'],
    [{ state: 'draft', checks: 'pending' }, 'draft · ⏳ checks running'],
    // A missing permission loses one fact.
    [{}],
    [{ state: 'open' }],
    [{ size: { files: 1, lines: null } }, '1 file'],
    [{ size: { files: 10_000, lines: { added: 1_234_567, removed: 0 } } }, '+1,234,567 −0 in 10,000 files'],
    [{ description: 'Adds *limits* & <@U2>.' }, '“Adds *limits* &amp; &lt;@U2&gt;.”'],
    [{ pages: ['a.mdx', '<!here>.md'] }, '“Changed pages: a.mdx, &lt;!here&gt;.md”'],
    [{ description: 'Adds limits.', pages: ['a.mdx'] }, '“Adds limits.', 'Changed pages: a.mdx”'],
  ])('%o (W6)', (facts, ...lines) => {
    expect(linesOf(facts)).toEqual([`🎉 <@U1> *Pull request ready:* ${link}`, ...lines, 'agent/limits']);
  });

  test('and when it is over, that it is, and not what its checks were', () => {
    const rest = ['*Document the rate limits*', '+120 −8 in 3 files', 'agent/limits'];
    expect(linesOf(merged)).toEqual([`✅ <@U1> *Merged:* ${link}`, ...rest]);
    expect(linesOf({ ...open, state: 'closed' })).toEqual([
      `⚪ <@U1> *Closed without merging:* ${link}`,
      ...rest,
    ]);
  });

  test('unless the agent says what has changed (W6)', () => {
    const { text } = announcementView({ ...ended, words: 'I did.' }, jobWith({ pages: ['a.md'] }), noNames);
    expect(text).toContain('“I did.”');
    expect(text).not.toContain('Changed pages');
  });

  test('and leads to a preview', () => {
    const blocks = (previewUrl: string) =>
      JSON.stringify(announcementView(ended, jobWith({ ...open, previewUrl }), noNames).blocks);
    expect(blocks(preview)).toContain(`"url":"${preview}"`);
    for (const none of ['javascript:alert(1)', 'https://github.com@evil.example/'])
      expect(blocks(none)).not.toContain('View preview');
  });

  test('in whichever message tells of it, also once that is settled, and in no message of an update', () => {
    const title = '*Document the rate limits*\n+120 −8';
    const view = (announcement: Parameters<typeof announcementView>[0]) =>
      announcementView(announcement, jobWith(open), noNames).text;
    expect(view({ kind: 'pull_request', link: first, branch: null, authors: [] })).toContain(title);
    for (const kind of ['failed', 'archived'] as const) expect(view({ kind, link: first })).toContain(title);
    expect(view({ ...ended, link: { url, is: 'same' } })).not.toContain(title);
    const undelivered = { count: 1, authors: ['U2'] };
    const outcome = { answer: 'sent_again', by: 'U2', count: 1 } as const;
    const { text } = postedView({ ...ended, undelivered }, jobWith(merged), outcome, noNames);
    expect(text).toContain('*Merged:*');
    expect(text).toContain('Somebody sent it again');
  });
});

describe('a notice (N1, P1)', () => {
  const names = new Map([['U1', 'Alice']]);
  const notice = (facts: PullRequestFacts, more?: Partial<Job>) =>
    noticeView(jobWith(facts, more), url, permalink, names);

  test.each<[PullRequestFacts, string]>([
    [{}, `📝 ${link} · *Document the rate limits of our API* · by Alice`],
    [
      { ...open, checks: 'failing' },
      `📝 ${link} · *Document the rate limits* · by Alice · open · checks failing`,
    ],
    [
      { review: 'approved', state: 'open' },
      `*Document the rate limits of our API* · by Alice · open · approved`,
    ],
    [merged, 'by Alice · merged\n'],
    [{ ...open, title: 'תיעוד' }, '*תיעוד\u200e* · by Alice · open'],
  ])('of %o tells what, of whom, and how it stands', (facts, words) => {
    expect(notice(facts).text).toContain(words);
  });

  test('leads to the pull request and to the thread, as far as Slack and the agent give addresses', () => {
    const targets = (to: string, thread: string | null) =>
      noticeView(aJob(), to, thread, noNames).blocks.flatMap((block) =>
        block.type === 'actions' ? block.elements.map((one) => 'url' in one && one.url) : [],
      );
    expect(targets(url, permalink)).toEqual([url, permalink]);
    expect(targets('pr #7', permalink)).toEqual([permalink]);
    expect(targets(url, null)).toEqual([url]);
    expect(noticeView(aJob(), 'pr #7', null, noNames).text).toContain('\nPull request: pr #7');
  });

  test('of a recipe names it, and mentions nobody', () => {
    const more = { requesterId: null, recipe: '<!channel> *x*' };
    expect(notice({}, more).text).toContain('· by recipe &lt;!channel&gt; \u00ad*x*\u00ad');
  });

  test('of a private request has the link alone, and its state: even its title tells what was asked', () => {
    const facts = { ...merged, previewUrl: preview, description: 'Layoffs.', pages: ['layoffs.md'] };
    const { text } = privateNoticeView(jobWith(facts), url);
    expect(text).toBe(`📝 ${link} · *New documentation pull request* · merged`);
    expect(privateNoticeView(aJob(), 'pr #7').text).toContain('\nPull request: pr #7');
  });
});

test.each<[PullRequestFacts, string]>([
  [open, `${link} · 6 min · waiting for review · asked`],
  [{ ...open, review: 'approved' }, '· approved · asked'],
  [{ ...open, review: 'changes_requested' }, `👀 *Changes requested* · ${link} · asked`],
  [{ ...open, state: 'draft' }, '· draft · asked'],
  [merged, `✅ *Merged* · ${link} · asked`],
  [{ ...open, checks: 'failing' }, `⚠️ *Checks failing* · ${link} · asked`],
  [{ title: 'Limits' }, `${link} · 6 min · asked`],
])('at home and in lists, a pull request of %o stands in one word (L1, L2)', (facts, words) => {
  const reader = { userId: 'U1', channelId: 'C1', workspaceUrl: null, names: noNames };
  expect(JSON.stringify(jobLine(jobWith(facts), reader))).toContain(words);
});
