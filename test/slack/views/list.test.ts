import { expect, test } from 'vitest';
import { requestersOf } from '../../../src/jobs/job.ts';
import type { Reader } from '../../../src/slack/views/job.ts';
import { JOBS_PER_PAGE, listView } from '../../../src/slack/views/status.ts';
import { fc } from '../../support/properties.ts';
import { aJob, anAgentJob, completed, fivePastTwoMs, noNames, working } from './a-job.ts';
import { expectSafe } from './support/expect-safe.ts';
import { address, job, names, slackId } from './support/hostile.ts';

const workspaceUrl = 'https://acme.slack.com/';
const reader: Reader = { userId: 'U1', channelId: 'C1', workspaceUrl, names: noNames };
const threadTs = '1795183500.000100';
const alone = { hasOlder: false };

test('a list says of each job what it is, how it is, and where (L1)', () => {
  const prLink = 'https://github.com/acme/docs/pull/7';
  const jobs = [
    aJob({ id: 'job-3', requesterId: 'U2', threadTs, prompt: 'Explain &lt;b&gt; *tags*\nand more' }),
    aJob({
      id: 'job-2',
      number: 142,
      threadTs,
      stage: completed,
      agentJob: anAgentJob({ status: 'completed', prLink }),
    }),
    aJob({ id: 'job-1', channelId: 'C2', stage: working, requestedAtMs: fivePastTwoMs - 86_400_000 }),
  ];
  const { text, blocks } = listView({ jobs, hasOlder: true }, reader);
  expect(text).toMatchInlineSnapshot(`
    "📋 *Your jobs, and the open ones of this channel*
    Explain &lt;b&gt; *tags*
    [Details]
    🚀 *Starting* · asked <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC> by <@U2> · <https://acme.slack.com/archives/C1/p1795183500000100|thread>
    Document the rate limits of our API
    [Details]
    #142 · ✅ *Pull request ready* · <https://github.com/acme/docs/pull/7|acme/docs#7> · asked <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC> · <https://acme.slack.com/archives/C1/p1795183500000100|thread>
    Document the rate limits of our API
    [Details]
    ⚙️ *Working* · started <!date^1795183500^{ago}|2026-11-20 14:05 UTC> · asked <!date^1795097100^{date_short_pretty} {time}|2026-11-19 14:05 UTC> in <#C2>
    [Older]"
  `);
  expect(blocks.at(-1)).toMatchObject({
    elements: [
      { action_id: 'list_older', value: `{"requestedAtMs":${fivePastTwoMs - 86_400_000},"id":"job-1"}` },
    ],
  });
});

test('of a job in a direct message a list says so, instead of an id (L1)', () => {
  const jobs = [aJob({ channelId: 'D0ALICE' })];
  expect(listView({ jobs, ...alone }, reader).text).toMatch(/ in a direct message$/m);
});

test('a person who has no job, in a channel without one, learns how to start one', () => {
  expect(listView({ jobs: [], ...alone }, reader).text).toMatchInlineSnapshot(
    `"📋 *No jobs.* You haven't started any, and none are open in this channel. \`/docs-agent explain the rate limits\` starts one."`,
  );
});

test('a job without a thread, or of a workspace without an address, has no link', () => {
  expect(listView({ jobs: [aJob()], ...alone }, reader).text).not.toContain('slack.com');
  const jobs = [aJob({ threadTs })];
  expect(listView({ jobs, ...alone }, { ...reader, workspaceUrl: null }).text).not.toContain('archives');
});

test('whatever people and the agent API write, the list stays safe and inside the limits', () => {
  const anyJob = fc
    .tuple(job(), slackId(), fc.constantFrom(threadTs, null), fc.option(address()))
    .map(([found, channelId, ts, announcedPrLink]) => ({
      ...found,
      channelId,
      threadTs: ts,
      announcedPrLink,
    }));
  const page = fc.record({
    jobs: fc.array(anyJob, { maxLength: JOBS_PER_PAGE }),
    hasOlder: fc.boolean(),
  });
  fc.assert(
    fc.property(page, (shown) => {
      const ours = {
        users: shown.jobs.flatMap(requestersOf),
        channels: shown.jobs.map(({ channelId }) => channelId),
        named: shown.jobs.flatMap(({ agentJob, announcedPrLink }) =>
          [agentJob?.prLink, announcedPrLink].flatMap((link) => link ?? []),
        ),
        labelled: shown.jobs.map(({ channelId }) => `${workspaceUrl}archives/${channelId}/p1795183500000100`),
      };
      expectSafe(listView(shown, { ...reader, names }), ours);
    }),
  );
});
