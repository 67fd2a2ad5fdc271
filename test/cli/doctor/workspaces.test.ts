import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/app/config/config.ts';
import { examine } from '../../../src/doctor/examine.ts';
import type { Finding } from '../../../src/doctor/finding.ts';
import { general } from '../../support/local-slack.ts';
import { acme, beta, startTeamsProgram, type TeamsProgram } from '../../support/slack-teams/program.ts';
import { one } from './support.ts';

const OTHER = 'T0OTHER';

const setUp = `
projects:
  - { id: acme-docs, name: docs, api_key_env: ACME_KEY }
  - { id: beta-docs, name: betadocs, api_key_env: BETA_KEY }
workspaces:
  ${acme}: { projects: [docs], notice_channels: [${general}, C0NOWHERE] }
  ${beta}: { projects: [betadocs] }
`;

function look(
  { env, clock }: TeamsProgram,
  more: Readonly<Record<string, string>> = {},
): Promise<readonly Finding[]> {
  const config = parseConfig({ ...env, ...more }, () => setUp);
  return examine(config, { clock, timeoutMs: 5_000 });
}

const levels = (findings: readonly Finding[]) =>
  findings.map(({ check, subject, level }) => [check, subject, level]);

test('each workspace is looked at with its own token and settings, next to the running program', async () => {
  await using program = await startTeamsProgram();
  const findings = await look(program);
  expect(levels(findings)).toEqual([
    ['settings', null, 'ok'],
    ['store', null, 'ok'],
    ['store_schema', null, 'ok'],
    ['store_space', null, 'ok'],
    ['listening', 'PORT', 'ok'],
    ['slack_connection', null, 'ok'],
    ['slack_token', acme, 'ok'],
    ['slack_scopes', acme, 'ok'],
    ['admins', acme, 'ok'],
    ['notice_channel', `${acme}/${general}`, 'ok'],
    ['notice_channel', `${acme}/C0NOWHERE`, 'error'],
    ['slack_token', beta, 'ok'],
    ['slack_scopes', beta, 'ok'],
    ['admins', beta, 'ok'],
    ['agent_api', 'docs', 'ok'],
    ['agent_api', 'betadocs', 'ok'],
    ['agent_writing', null, 'ok'],
    ['clock', 'against Slack', 'ok'],
  ]);
  expect(one(findings, 'slack_token', beta).found).toContain(`(${beta})`);
  expect(one(findings, 'slack_connection').next).toContain('--oauth');
});

test('workspaces that nobody installed, that nobody set up, and whose token is revoked', async () => {
  await using program = await startTeamsProgram({ installed: [beta, OTHER] });
  program.slack.tokens.revoke(beta);
  const findings = await look(program);
  expect(one(findings, 'slack_token', acme)).toMatchObject({
    level: 'warning',
    found: 'the app is not installed',
    next: expect.stringContaining('/slack/install'),
  });
  expect(one(findings, 'settings', OTHER)).toMatchObject({
    level: 'warning',
    next: expect.stringContaining('DOCS_AGENT_CONFIG'),
  });
  expect(one(findings, 'slack_token', beta)).toMatchObject({
    level: 'error',
    next: expect.stringContaining('/slack/install'),
  });
});

const organisation = { id: 'E0ORG', teamId: acme };

test("an organisation's installation is looked at for the workspaces that it serves, with its token", async () => {
  await using program = await startTeamsProgram({ organisation, teams: [acme], installed: ['E0ORG'] });
  await program.ask(acme, 'help');
  const findings = await look(program);
  expect(one(findings, 'slack_token', 'E0ORG').level).toBe('ok');
  expect(levels(findings).filter(([check]) => check === 'notice_channel')).toEqual([
    ['notice_channel', `${acme}/${general}`, 'ok'],
    ['notice_channel', `${acme}/C0NOWHERE`, 'error'],
  ]);
});
