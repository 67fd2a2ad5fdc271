import { expect, test } from 'vitest';
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
  await program.later(
    () => program.prompts(acmeProject),
    (prompts) => prompts.length === 1,
    'the job',
  );
});
