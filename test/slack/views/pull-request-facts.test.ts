import { describe, expect, test } from 'vitest';
import type { Job } from '../../../src/jobs/job.ts';
import type { PullRequestFacts } from '../../../src/jobs/pull-requests/pull-request.ts';
import { homeView } from '../../../src/slack/views/home.ts';
import { cardView } from '../../../src/slack/views/job.ts';
import { noticeView, privateNoticeView } from '../../../src/slack/views/turn-ended.ts';
import { aJob, anAgentJob, completed, fivePastTwoMs, nobodyWaits, noNames, working } from './a-job.ts';
import { expectSafe } from './support/expect-safe.ts';
import { announcementView, postedView } from './support/thread.ts';

const MINUTE_MS = 60_000;
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
const merged: PullRequestFacts = {
  ...open,
  state: 'merged',
  review: 'approved',
  openedAtMs: fivePastTwoMs + 6 * MINUTE_MS,
};

/** A job that is done, whose pull request the code host has described. */
function jobWith(facts: PullRequestFacts, more: Partial<Job> = {}): Job {
  return aJob({
    stage: { ...completed, tookMs: 6 * MINUTE_MS },
    agentJob: anAgentJob({ status: 'completed', prLink: url }),
    announcedPrLink: url,
    pullRequests: [{ url, facts, seenAtMs: fivePastTwoMs, reminders: 0 }],
    ...more,
  });
}

const ended = {
  kind: 'turn_ended',
  link: { url, is: 'first' },
  branch: 'agent/rate-limits',
  lastedMs: 6 * MINUTE_MS,
  replies: { count: 0, authors: [] },
  undelivered: null,
} as const;

const said = (facts: PullRequestFacts) => announcementView(ended, jobWith(facts), noNames).text;
const linesOf = (facts: PullRequestFacts) => said(facts).split('\n');
const news = `🎉 <@U1> *Pull request ready:* ${link}`;
const foot = 'took 6 min · agent/rate-limits';

describe('the message with a pull request says what the code host says (P1)', () => {
  test('the title, how much has changed, the checks and the review', () => {
    const title = '*Document the rate limits*';
    expect(linesOf(open)).toEqual([news, title, '+120 −8 in 3 files · ✅ checks passing', foot]);
    expect(linesOf({ ...open, checks: 'failing', review: 'changes_requested' })[2]).toBe(
      '+120 −8 in 3 files · ❌ checks failing · changes requested',
    );
    expect(linesOf({ ...open, state: 'draft', checks: 'pending' })[2]).toBe(
      '+120 −8 in 3 files · draft · ⏳ checks running',
    );
  });

  test('and what was done, as the description begins (W6)', () => {
    const description = 'Adds *limits* & <@U2> of @channel.';
    expect(linesOf({ ...open, description }).slice(3)).toEqual([
      '“Adds *limits* &amp; &lt;@U2&gt; of @channel.”',
      foot,
    ]);
    const { blocks } = announcementView(ended, jobWith({ description }), noNames);
    const quote = { type: 'rich_text_quote', elements: [{ type: 'text', text: description }] };
    expect(blocks[1]).toMatchObject({ type: 'rich_text', elements: [quote] });
  });

  test('and which pages have changed, also without a description, unless the agent says it (W6)', () => {
    const pages = ['docs/limits.mdx', '<!here>.md'];
    const changed = 'Changed pages: docs/limits.mdx, &lt;!here&gt;.md';
    expect(linesOf({ ...open, pages }).slice(3)).toEqual([`“${changed}”`, foot]);
    expect(linesOf({ ...open, pages, description: 'Adds limits.' }).slice(3)).toEqual([
      '“Adds limits.',
      `${changed}”`,
      foot,
    ]);
    const told = { ...ended, words: 'I added the limits.' };
    const { text } = announcementView(told, jobWith({ ...open, pages }), noNames);
    expect(text).toContain('“I added the limits.”');
    expect(text).not.toContain('Changed pages');
    const long = Array.from({ length: 5 }, () => `${'x'.repeat(290)}.md`);
    expect(linesOf({ pages: long })[1]?.length).toBeLessThan(450);
  });

  test('as far as it says it: a missing permission loses one fact', () => {
    expect(linesOf({})).toEqual([news, foot]);
    expect(linesOf({ state: 'open' })).toEqual([news, foot]);
    expect(linesOf({ title: 'Limits' })).toEqual([news, '*Limits*', foot]);
    expect(linesOf({ size: { files: 1, lines: null } })).toEqual([news, '1 file', foot]);
  });

  test('and when it is over, that it is, and not what its checks were', () => {
    const rest = ['*Document the rate limits*', '+120 −8 in 3 files', foot];
    expect(linesOf(merged)).toEqual([`✅ <@U1> *Merged:* ${link}`, ...rest]);
    expect(linesOf({ ...open, state: 'closed' })).toEqual([
      `⚪ <@U1> *Closed without merging:* ${link}`,
      ...rest,
    ]);
  });

  test('files are counted, however many', () => {
    expect(linesOf({ size: { files: 10_000, lines: { added: 1_234_567, removed: 0 } } })).toContain(
      '+1,234,567 −0 in 10,000 files',
    );
  });

  test('and leads to a preview', () => {
    const view = (previewUrl: string) =>
      announcementView(ended, jobWith({ ...open, previewUrl }), noNames).blocks;
    expect(JSON.stringify(view(preview))).toContain(`"url":"${preview}"`);
    expect(JSON.stringify(view('javascript:alert(1)'))).not.toContain('View preview');
    expect(JSON.stringify(view('https://github.com@evil.example/'))).not.toContain('View preview');
  });

  test('in whichever message tells of it, and in no message of an update', () => {
    const job = jobWith(open);
    const title = '*Document the rate limits*\n+120 −8';
    const view = (announcement: Parameters<typeof announcementView>[0]) =>
      announcementView(announcement, job, noNames).text;
    expect(view({ kind: 'pull_request', link: { url, is: 'another' }, branch: null, authors: [] })).toContain(
      title,
    );
    expect(view({ kind: 'failed', link: { url, is: 'first' } })).toContain(title);
    expect(view({ kind: 'archived', link: { url, is: 'first' } })).toContain(title);
    expect(view({ ...ended, link: { url, is: 'another' } })).toContain(title);
    expect(view({ ...ended, link: { url, is: 'same' } })).not.toContain(title);
  });

  test('also when what it offered is settled, without the button', () => {
    const undelivered = { count: 1, authors: ['U2'] };
    const outcome = { answer: 'sent_again', by: 'U2', count: 1 } as const;
    const { text } = postedView(
      { ...ended, undelivered },
      jobWith(merged),
      outcome,
      new Map([['U2', 'Bob']]),
    );
    expect(text).toContain('*Merged:*');
    expect(text).toContain('Bob sent it again');
    expect(text).not.toContain('[Send again]');
  });

  test('with the branch that it came with, whichever the job has now', () => {
    const link = { url, is: 'first' } as const;
    const late = { kind: 'pull_request', link, branch: 'agent/first', authors: [] } as const;
    expect(announcementView(late, jobWith(open), noNames).text).toContain('\nagent/first');
    expect(announcementView({ ...late, branch: null }, jobWith(open), noNames).text).not.toContain('agent/');
  });
});

describe('a title from outside', () => {
  const hostile = [
    '*Merged* <!channel> <@U2> <https://evil.example|github.com> & `x`',
    '\u202egnihton\u2066\u2069\n\n✅ *Merged*',
    'x'.repeat(5_000),
    '👩‍💻'.repeat(500),
    '',
  ];
  test.each(hostile)('mentions nobody, links nowhere, and stays on its line: %.40s', (title) => {
    const job = jobWith({ ...open, title });
    expectSafe(announcementView(ended, job, noNames), { users: ['U1'], named: [url] });
    expectSafe(noticeView(job, url, permalink, noNames), { named: [url] });
    expect(said({ ...open, title }).split('\n')).toHaveLength(4);
    expect(said({ ...open, title }).length).toBeLessThan(500);
  });

  test('that is read from right to left leaves what follows it in its order', () => {
    const { text } = noticeView(jobWith({ ...open, title: 'תיעוד' }), url, permalink, noNames);
    expect(text).toContain('*תיעוד\u200e* · open');
  });
});

describe('a notice says how the pull request goes on (P1)', () => {
  const notice = (facts: PullRequestFacts) =>
    noticeView(jobWith(facts), url, permalink, new Map([['U1', 'Alice']])).text.split('\n')[0];

  test('with its title and its state', () => {
    expect(notice({ ...open, checks: 'failing' })).toBe(
      `📝 ${link} · *Document the rate limits* · by Alice · open · checks failing`,
    );
    expect(notice({ ...open, review: 'approved' })).toMatch(/ · open · checks passing · approved$/);
    expect(notice(merged)).toMatch(/ · by Alice · merged$/);
    expect(notice({ ...open, state: 'closed' })).toMatch(/ · closed$/);
  });

  test("with the request's first line where the code host says no title", () => {
    expect(notice({ state: 'open' })).toContain('*Document the rate limits of our API* · by Alice · open');
  });

  test('of a private request only the state: its title tells what was asked', () => {
    const description = 'Names the layoffs.';
    const facts = { ...merged, previewUrl: preview, description, pages: ['layoffs.md'] };
    const { text } = privateNoticeView(jobWith(facts), url);
    expect(text).toBe(`📝 ${link} · *New documentation pull request* · merged`);
  });
});

describe('the card tells only what matters (P1)', () => {
  const state = (facts: PullRequestFacts, more: Partial<Job> = {}) =>
    cardView(jobWith(facts, more), { queue: nobodyWaits, names: noNames }).text.split('\n')[1];

  test('merged, closed without merging, and failing checks', () => {
    expect(state(merged)).toBe(`✅ *Merged* · ${link}`);
    expect(state({ ...open, state: 'closed' })).toBe(`⚪ *Closed without merging* · ${link}`);
    expect(state({ ...open, checks: 'failing' })).toBe(`⚠️ *Checks failing* · ${link}`);
    expect(state({ ...open, review: 'changes_requested' })).toBe(`👀 *Changes requested* · ${link}`);
    expect(state(open)).toBe(`✅ *Pull request ready* · ${link} · 6 min`);
  });

  test('of a job that was archived, too', () => {
    const archived = { stage: { kind: 'ended', status: 'archived', sinceMs: 0 } } as const;
    expect(state(merged, archived)).toBe(`✅ *Merged* · ${link}`);
    expect(state({ ...open, checks: 'failing' }, archived)).toMatch(/^⚪ \*Archived\*/);
  });

  test('but not over a later turn at work, or a failure', () => {
    expect(state(merged, { stage: working })).toMatch(/^⚙️ \*Working/);
    expect(state(merged, { stage: { kind: 'ended', status: 'failed', sinceMs: 0 } })).toMatch(/^❌ \*Failed/);
  });
});

describe('who looks sees how a pull request stands (L1, L2)', () => {
  const reader = { userId: 'U1', channelId: 'C1', workspaceUrl: null, names: noNames };
  const atHome = (facts: PullRequestFacts) =>
    homeView(
      {
        needing: [],
        open: [],
        withPullRequest: [jobWith(facts)],
        projects: [],
        slackProblem: null,
        forAdmin: null,
        atMs: fivePastTwoMs,
      },
      reader,
    ).text;

  test('at home, in one word', () => {
    expect(atHome(open)).toContain(`${link} · 6 min · waiting for review · asked`);
    expect(atHome({ ...open, review: 'approved' })).toContain('· approved · asked');
    expect(atHome({ ...open, review: 'changes_requested' })).toContain(
      `👀 *Changes requested* · ${link} · asked`,
    );
    expect(atHome({ ...open, state: 'draft' })).toContain('· draft · asked');
    expect(atHome(merged)).toContain(`✅ *Merged* · ${link} · asked`);
    expect(atHome({ ...open, checks: 'failing' }).match(/checks failing/gi)).toHaveLength(1);
    expect(atHome({ title: 'Limits' })).toContain(`${link} · 6 min · asked`);
  });
});
