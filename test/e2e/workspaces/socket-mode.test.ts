import { join } from 'node:path';
import { expect, test } from 'vitest';
import { beside } from '../../support/beside.ts';
import { has } from '../../support/is.ts';
import { alice, general } from '../../support/local-slack.ts';
import { acmeProject, startTeamsProgram } from '../../support/slack-teams/program.ts';
import { strictApp } from '../../support/strict-slack/ids.ts';

const { teamId } = strictApp;

test('over Socket Mode, the pages are served beside the health checks, and the workspace works (A2)', async () => {
  await using program = await startTeamsProgram({ mode: 'socket', teams: [teamId], installed: [] });
  expect(await program.ask(teamId, 'Fix the typos')).toContain("isn't installed");
  const page = await program.install(teamId);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('docs-agent is installed')]);
  await program.ask(teamId, 'Fix the typos');
  await program.card(teamId, 'Fix the typos');
  await program.later(() => program.prompts(acmeProject), has(1), 'the job');
});

test('a mention whose workspace cannot be looked up is not acknowledged: Slack delivers it again (E3)', async () => {
  await using program = await startTeamsProgram({ mode: 'socket', teams: [teamId], installed: [teamId] });
  await program.restart();
  const store = beside(join(program.env.DATA_DIR ?? '', 'docs-agent.db'));
  await store.execute('alter table installation rename to away');
  const text = `<@${strictApp.botUserId}> Fix the typos`;
  const said = program.slack.team(teamId).control.message({ channel: general, user: alice, text });
  await program.later(
    () => program.log.some((line) => line.includes('listener_failed')),
    true,
    'the look-up to fail',
  );
  await store.execute('alter table away rename to installation');
  store.close();
  await program.later(() => program.prompts(acmeProject), has(1), 'the job');
  await said;
});
