import { describe, expect, test } from 'vitest';
import { noticeView } from '../../../src/slack/views/notice.ts';
import { aJob, noNames } from './a-job.ts';

const url = 'https://github.com/acme/docs/pull/7';
const permalink = 'https://acme.slack.com/archives/C1/p1795183500000100';

describe('a notice channel is told of a pull request', () => {
  test('with a title, who asked, and the way to both', () => {
    const job = aJob({ prompt: 'Document the rate limits\nand the quotas' });
    expect(noticeView(job, url, permalink, noNames).text).toMatchInlineSnapshot(`
      "📝 *New pull request*
      Document the rate limits
      Asked by <@U1> · Project handbook
      View pull request: https://github.com/acme/docs/pull/7
      Open the thread: https://acme.slack.com/archives/C1/p1795183500000100"
    `);
  });

  test('also when Slack gave no address of the thread', () => {
    expect(noticeView(aJob(), url, null, noNames).text).not.toContain('Open the thread');
  });
});
