import { expect, test } from 'vitest';
import { requestTeam } from '../../../src/slack/install/installed-workspaces.ts';

const authorization = (over: object = {}) => ({
  authorizations: [{ team_id: 'T1', enterprise_id: null, is_enterprise_install: false, ...over }],
});

test.each<[string, object, string | null]>([
  [
    'an event by its authorization, also of a message from elsewhere',
    { team_id: 'T9', ...authorization() },
    'T1',
  ],
  [
    'an event for an organisation by where it came through',
    { team_id: 'T9', context_team_id: 'T1', ...authorization({ team_id: null }) },
    'T1',
  ],
  ['a command by its workspace', { command: '/docs-agent', team_id: 'T1', user_id: 'U1' }, 'T1'],
  [
    'what is done in a form by where the form is from',
    { team: { id: 'T9' }, user: { team_id: 'T9' }, view: { app_installed_team_id: 'T1' } },
    'T1',
  ],
  ['a press by the workspace of the message', { team: { id: 'T1' }, user: { team_id: 'T9' } }, 'T1'],
  ['a press for an organisation by the person', { team: null, user: { team_id: 'T1' } }, 'T1'],
  [
    'a form for an organisation by where it was opened, if of the person only the organisation is named',
    { team: null, user: { team_id: 'E1' }, view: { app_installed_team_id: 'E1', team_id: 'T1' } },
    'T1',
  ],
  ['what names no workspace but an organisation', { team: null, user: { team_id: 'E1' } }, null],
  [
    'a command with empty fields by the one that is not',
    { command: '/docs-agent', team_id: 'T1', enterprise_id: '', is_enterprise_install: '' },
    'T1',
  ],
  ['nothing by nothing', {}, null],
  ['nothing by nonsense', { team_id: 7, authorizations: 'x' }, null],
])('the workspace of %s', (_what, body, teamId) => {
  expect(requestTeam(body)?.teamId ?? null).toBe(teamId);
});

test('an organisation is named where its installation is used, and is sure only where Slack speaks of that', () => {
  const org = { enterprise_id: 'E1', is_enterprise_install: true };
  expect(requestTeam(authorization(org))).toEqual({ teamId: 'T1', organisationId: 'E1', isSure: true });
  expect(requestTeam({ command: '/x', team_id: 'T1', ...org, is_enterprise_install: 'true' })).toEqual({
    teamId: 'T1',
    organisationId: 'E1',
    isSure: true,
  });
  const pressed = { is_enterprise_install: true, enterprise: { id: 'E1' }, user: { team_id: 'E1' } };
  expect(requestTeam({ ...pressed, team: { id: 'T1', enterprise_id: 'E1' } })?.isSure).toBe(true);
  // In a channel that is shared with another organisation: there, that of the person who acted.
  expect(requestTeam({ ...pressed, team: { id: 'T9', enterprise_id: 'E9' } })?.isSure).toBe(false);
  expect(requestTeam({ team_id: 'T9', ...authorization({ ...org, team_id: null }) })?.isSure).toBe(false);
  expect(requestTeam({ ...org, enterprise: { id: 'E1' }, team: null, user: { team_id: 'T1' } })).toEqual({
    teamId: 'T1',
    organisationId: 'E1',
    isSure: false,
  });
  expect(requestTeam(authorization({ enterprise_id: 'E1' }))?.organisationId).toBeNull();
});
