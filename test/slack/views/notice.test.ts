import { describe, expect, test } from 'vitest';
import { noticeView, privateNoticeView } from '../../../src/slack/views/turn-ended.ts';
import { aJob, noNames } from './a-job.ts';

const url = 'https://github.com/acme/docs/pull/7';
const permalink = 'https://acme.slack.com/archives/C1/p1795183500000100';

describe('a notice channel hears of a pull request', () => {
  test('with a title, who asked, and the way to both', () => {
    const job = aJob({ prompt: 'Document the rate limits\nand the quotas' });
    expect(noticeView(job, url, permalink, noNames).text).toMatchInlineSnapshot(`
      "📝 <https://github.com/acme/docs/pull/7|acme/docs#7> · *Document the rate limits*
      Open thread: https://acme.slack.com/archives/C1/p1795183500000100"
    `);
  });

  test('in one row of buttons', () => {
    const rows = noticeView(aJob(), url, permalink, noNames).blocks.filter(({ type }) => type === 'actions');
    expect(rows).toMatchObject([{ elements: [{ url }, { url: permalink }] }]);
  });

  test('of a pull request that is no web address, without a link, but with the way to the thread', () => {
    const { text, blocks } = noticeView(aJob(), 'pr #7', permalink, noNames);
    expect(text).toContain('\nPull request: pr #7\n');
    expect(blocks.at(-1)).toMatchObject({ type: 'actions', elements: [{ url: permalink }] });
  });

  test('even when Slack gave no address of the thread', () => {
    expect(noticeView(aJob(), url, null, noNames).text).not.toContain('Open thread');
  });
});

describe('of what was asked in private, a notice channel gets the link alone', () => {
  const short = (link: string) => privateNoticeView(aJob(), link).text;

  test('in the words of its host', () => {
    const said = '· *New documentation pull request*';
    expect(short(url)).toBe(`📝 <${url}|acme/docs#7> ${said}`);
    const bitbucket = 'https://bitbucket.org/acme/docs/pull-requests/7';
    expect(short(bitbucket)).toBe(`📝 <${bitbucket}|acme/docs#7> ${said}`);
    const gitlab = 'https://gitlab.com/group/sub/docs/-/merge_requests/7';
    expect(short(gitlab)).toBe(`📝 <${gitlab}|group/sub/docs!7> ${said}`);
    const azure = 'https://dev.azure.com/org/project/_git/docs/pullrequest/7';
    expect(short(azure)).toBe(`📝 <${azure}|org/project/docs!7> ${said}`);
  });

  test('by host and path where the host is not known, so that it cannot pass for one that is', () => {
    const elsewhere = 'https://git.acme.example/acme/docs/pull/7';
    expect(short(elsewhere)).toContain(`<${elsewhere}|git.acme.example/acme/docs/pull/7>`);
    const lookalike = 'https://github.com.example/acme/docs/pull/7';
    expect(short(lookalike)).toContain('|github.com.example/acme/docs/pull/7>');
  });

  test('without a link if it is no web address', () => {
    expect(short('pr #7')).toBe('📝 *New documentation pull request*\nPull request: pr #7');
  });
});
