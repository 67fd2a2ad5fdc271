import { expect, test } from 'vitest';
import { codeHostReport } from '../../../src/features/pull-requests/views.ts';
import { type DoctorFacts, doctorView } from '../../../src/slack/views/home.ts';
import { fc } from '../../support/properties.ts';
import { expectSafe } from './support/expect-safe.ts';
import { slackFacts, text, time } from './support/hostile.ts';

const atMs = Date.UTC(2026, 10, 20, 14, 5);
const well: DoctorFacts = {
  slackProblem: null,
  projects: [{ name: 'handbook', agent: { answeredAtMs: null, trouble: null } }],
  services: [codeHostReport({ host: 'github.com', facts: { answeredAtMs: null, trouble: null } })],
  slack: { scopes: { missing: [] }, noticeChannels: [{ channelId: 'C2', reach: 'reached' }], atMs },
  pauses: [],
  work: [],
};

test('`doctor` says that all is well, and what it looked at', () => {
  expect(doctorView(well).text).toMatchInlineSnapshot(`
    "🩺 *All is well.*
    ✅ *Slack* connected
    ✅ *Permissions* all granted
    ✅ *Agent* (handbook) no contact since the last restart
    ✅ *Code host* (github.com) no contact since the last restart
    ✅ *Notices* reach <#C2>
    Operators: run \`docs-agent doctor\` on the server for the full check."
  `);
});

test('`doctor` says problems first, each with what to do', () => {
  const agent = { answeredAtMs: null, trouble: { kind: 'needs_admin', sinceMs: atMs } } as const;
  const view = doctorView({
    slackProblem: 'disconnected',
    slack: {
      scopes: { missing: ['reactions:write'] },
      noticeChannels: [
        { channelId: 'C2', reach: { refused: 'not_in_channel' } },
        { channelId: 'C3', reach: 'reached' },
        { channelId: 'C4', reach: null },
      ],
      atMs,
    },
    projects: [{ name: '<!channel>', agent }],
    services: [codeHostReport({ host: 'github.com', facts: agent })],
    pauses: [{ name: '<!channel>', what: 'reads', untilMs: atMs }],
    work: ['every check_job has failed'],
  });
  expect(view.text).toMatchInlineSnapshot(`
    "🩺 *7 problems*
    ❌ *Slack* disconnected
    ❌ *Permissions* missing: reactions:write. Add them under "OAuth &amp; Permissions", then reinstall the app.
    ❌ *Agent* (&lt;!channel&gt;) has been refusing the key or the project since <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC>. An operator of docs-agent must check both.
    ⏳ *Agent* (&lt;!channel&gt;) asked for a pause: job updates resume at <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC>.
    ❌ *Code host* (github.com) has refused the token or the App since <!date^1795183500^{date_short_pretty} {time}|2026-11-20 14:05 UTC>. An operator of docs-agent must renew it. Messages show pull requests as they were last seen.
    ❌ *Notices* don't reach <#C2> (not_in_channel). Invite me there, or change the notice channels in \`/docs-agent settings\`.
    ❌ *Work* every check_job has failed
    ✅ *Notices* reach <#C3>
    ⏳ *Notices* Slack didn't say whether they reach <#C4>. Ask again in a minute.
    Operators: run \`docs-agent doctor\` on the server for the full check."
  `);
  expectSafe(view, { channels: ['C2', 'C3', 'C4'] });
  const saying = (scopes: DoctorFacts['slack']['scopes']) =>
    doctorView({ ...well, slack: { scopes, noticeChannels: [], atMs } }).text;
  expect(saying({ refused: 'token_revoked' })).toContain('(token_revoked)');
  expect(saying(null)).toContain("doesn't say what the app may do");
});

test('whatever Slack, the agent and the program say, the answer stays safe and inside the limits', () => {
  const trouble = fc.record({
    kind: fc.constantFrom('rate_limited', 'unreachable', 'needs_admin'),
    sinceMs: time(),
  });
  const agent = fc.record({ answeredAtMs: fc.option(time()), trouble: fc.option(trouble) });
  const facts = fc.record({
    slackProblem: fc.option(text()),
    slack: slackFacts(),
    projects: fc.array(fc.record({ name: text(), agent }), { maxLength: 20 }),
    services: fc.array(fc.record({ host: text(), facts: agent }).map(codeHostReport), { maxLength: 3 }),
    pauses: fc.array(fc.record({ name: text(), what: fc.constantFrom('reads', 'calls'), untilMs: time() }), {
      maxLength: 3,
    }),
    work: fc.array(text()),
  });
  fc.assert(fc.property(facts, (some) => expectSafe(doctorView(some as DoctorFacts), { channels: ['C9'] })));
});
