import { expect, test } from 'vitest';
import { ways } from '../../../src/slack/views/help.ts';
import { type HomeFacts, homeView, OPEN_JOBS_MAX } from '../../../src/slack/views/home.ts';
import type { Reader } from '../../../src/slack/views/parts/job-line.ts';
import type { SlackMessage } from '../../../src/slack/views/parts/message.ts';
import { fc } from '../../support/properties.ts';
import { aJob, anAgentJob, completed, fivePastTwoMs, noNames, working } from './a-job.ts';
import { expectSafe } from './support/expect-safe.ts';
import { job, names, text, time } from './support/hostile.ts';

const reader: Reader = {
  userId: 'U1',
  channelId: null,
  workspaceUrl: 'https://acme.slack.com/',
  names: noNames,
};
const threadTs = '1795183500.000100';
const prLink = 'https://github.com/acme/docs/pull/7';
const known = { answeredAtMs: fivePastTwoMs, trouble: null };

const facts = (some: Partial<HomeFacts> = {}): HomeFacts => ({
  open: [],
  withPullRequest: [],
  projects: [{ name: 'handbook', callsLeft: 87, hourlyBudget: 100, agent: known }],
  slackProblem: null,
  isAdmin: false,
  atMs: fivePastTwoMs,
  ...some,
});

/** They are those of the help, and shown by its test. */
function withoutWays({ text }: SlackMessage): string {
  const [own = '', said] = text.split('\n*How it works*\n');
  expect(said).toBe(ways.map(({ twin }) => twin?.mrkdwn).join('\n'));
  return own;
}

test('the home of somebody new says how to begin (L2)', () => {
  expect(withoutWays(homeView(facts(), reader))).toMatchInlineSnapshot(`
    "📖 Ask for a documentation change, get the pull request.
    Button: Start a job
    *Your open jobs*
    none is open
    *Your last pull requests*
    none yet
    *How things are*
    Slack ✅ connected · as of <!date^1795183500^{time}|14:05 UTC>
    Project handbook · agent API ✅ answered at <!date^1795183500^{time}|14:05 UTC> · 87 of 100 prompts and follow-ups left for this hour"
  `);
});

test('the home shows the open jobs, the last pull requests, and how things are (L2)', () => {
  const open = [aJob({ id: 'job-2', threadTs, stage: working, prompt: 'Explain the webhooks' })];
  const over = aJob({ threadTs, stage: completed, agentJob: anAgentJob({ status: 'completed', prLink }) });
  const { projects } = facts();
  const unreachable = {
    answeredAtMs: null,
    trouble: { kind: 'unreachable', sinceMs: fivePastTwoMs },
  } as const;
  const unknown = { answeredAtMs: null, trouble: null };
  const shown = homeView(
    facts({
      open,
      withPullRequest: [over],
      projects: [
        ...projects,
        { name: 'api', callsLeft: 0, hourlyBudget: 100, agent: unreachable },
        { name: 'blog', callsLeft: 100, hourlyBudget: 100, agent: unknown },
      ],
      slackProblem: 'no Socket Mode connection for 40 s',
      isAdmin: true,
    }),
    reader,
  );
  expect(withoutWays(shown)).toMatchInlineSnapshot(`
    "📖 Ask for a documentation change, get the pull request.
    Button: Start a job
    Button: Settings
    *Your open jobs*
    Explain the webhooks
    ⚙️ *Working* · asked <!date^1795183500^{date_short_pretty} at {time}|2026-11-20 14:05 UTC> in <#C1> · <https://acme.slack.com/archives/C1/p1795183500000100|thread>
    *Your last pull requests*
    Document the rate limits of our API
    ✅ *Finished* · asked <!date^1795183500^{date_short_pretty} at {time}|2026-11-20 14:05 UTC> in <#C1> · <https://acme.slack.com/archives/C1/p1795183500000100|thread> · <https://github.com/acme/docs/pull/7>
    *How things are*
    Slack 📡 no Socket Mode connection for 40 s · as of <!date^1795183500^{time}|14:05 UTC>
    Project handbook · agent API ✅ answered at <!date^1795183500^{time}|14:05 UTC> · 87 of 100 prompts and follow-ups left for this hour
    Project api · 📡 *Can't reach the agent API* · since <!date^1795183500^{time}|14:05 UTC> · 0 of 100 prompts and follow-ups left for this hour
    Project blog · agent API not asked since the last start · 100 of 100 prompts and follow-ups left for this hour"
  `);
});

test('of many open jobs the first are shown, and where the others are', () => {
  const open = Array.from({ length: OPEN_JOBS_MAX + 1 }, (_, n) =>
    aJob({ id: `job-${n}`, prompt: `Page ${n}.` }),
  );
  const shown = homeView(facts({ open }), reader).text;
  expect(shown).toContain(`Page ${OPEN_JOBS_MAX - 1}.`);
  expect(shown).not.toContain(`Page ${OPEN_JOBS_MAX}.`);
  expect(shown).toContain('`/docs-agent list`, in any channel, shows the others');
});

test('whatever people and the agent API write, the home stays safe and inside the limits', () => {
  const jobs = fc.array(
    job().map((found) => ({ ...found, threadTs })),
    { maxLength: 9 },
  );
  const trouble = fc.record({
    kind: fc.constantFrom('rate_limited', 'unreachable', 'needs_admin'),
    sinceMs: time(),
  });
  const project = fc.record({
    name: text(),
    callsLeft: fc.nat(),
    hourlyBudget: fc.nat(),
    agent: fc.record({ answeredAtMs: fc.option(time()), trouble: fc.option(trouble) }),
  });
  const any = fc.record({
    open: jobs,
    withPullRequest: jobs,
    projects: fc.array(project, { maxLength: 20 }),
    slackProblem: fc.option(text()),
    isAdmin: fc.boolean(),
    atMs: time(),
  });
  fc.assert(
    fc.property(any, (shown) => {
      const all = [...shown.open, ...shown.withPullRequest];
      const ours = {
        users: all.map(({ requesterId }) => requesterId),
        channels: all.map(({ channelId }) => channelId),
        urls: all.flatMap(({ agentJob }) => [agentJob?.prLink]),
        labelled: ['https://acme.slack.com/archives/C1/p1795183500000100'],
        // Nobody is given it: a home has no plain text.
        textMax: 20_000,
      };
      expectSafe(homeView(shown as HomeFacts, { ...reader, names }), ours);
    }),
  );
});
