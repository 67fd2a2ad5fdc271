import { expect, test } from 'vitest';
import { has, present } from '../../support/is.ts';
import { alice, general } from '../../support/local-slack.ts';
import { acme, acmeProject, beta, startTeamsProgram } from '../../support/slack-teams/program.ts';

const organisation = { id: 'E0ACME', teamId: acme };

test('an installation in an organisation serves its workspaces, with one token, until it is removed; those of others are a matter of their own (A2)', async () => {
  await using program = await startTeamsProgram({ organisation, installed: ['E0ACME', beta] });
  const { control } = program.slack.team(acme);
  await program.ask(acme, 'Fix the typos');
  const card = await program.card(acme, 'Fix the typos');
  await control.reply(card, 'and the links', alice);
  await program.later(() => program.prompts(acmeProject)[0], has(2), 'the follow-up');
  await program.restart();
  const [job] = program.jobs(acmeProject);
  program.api.finish(job?.id ?? '', { status: 'completed' });
  const end = await program.later(
    async () =>
      (await control.thread(general, card.ts)).find(({ text }) => text.includes('Done, no pull request')),
    present,
    'the end',
  );
  await control.press(end ?? card, 'follow_up', alice);
  await program.later(() => control.modal(alice), present, 'the form');
  const tokens = program.slack.calls('chat.postMessage').map(({ token }) => token);
  expect([...new Set(tokens)]).toEqual(['xoxb-E0ACME-1']);
  await program.clock.advance(300_000);
  const removed = {
    enterprise_id: 'E0ACME',
    is_enterprise_install: true,
    event: { type: 'app_uninstalled' },
  };
  await program.slack.event({ ...removed, team_id: beta, is_enterprise_install: false });
  expect(await program.ask(acme, 'list')).toContain('Fix the typos');
  expect(await program.ask(beta, 'list')).toContain("isn't installed");
  await program.slack.event({ ...removed, team_id: null });
  await program.clock.advance(10_000);
  expect(await program.ask(acme, 'list')).toContain("isn't installed");
});

test('user groups of its workspaces let people in (A1, A2)', async () => {
  await using program = await startTeamsProgram({ organisation, installed: ['E0ACME', beta] });
  program.slack.team(acme).control.setUserGroup('S0WRITERS', [alice]);
  await program.restart(
    {},
    `
projects: [{ id: ${acmeProject}, name: docs, api_key_env: ACME_KEY }]
workspaces: { ${acme}: { projects: [docs], access: { user_groups: [S0WRITERS] } } }
`,
  );
  await program.ask(acme, 'Fix the typos');
  await program.card(acme, 'Fix the typos');
});
