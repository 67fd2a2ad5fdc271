import { describe, expect, test } from 'vitest';
import { alice, bob, general } from '../support/local-slack.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const carol = 'U0CAROL';
const YET = 'docs-agent has no administrators yet';

/** What the person reads privately after each command for administrators, or the title of the form that opens. */
async function answers({ slack }: StrictWorld, user: string): Promise<Record<string, string>> {
  const { control } = slack;
  const found: Record<string, string> = {};
  for (const text of ['settings', 'report', 'doctor']) {
    const before = control.modal(user);
    await control.command({ channel: general, user, text });
    const told = (await control.messages(general)).findLast(({ ephemeral_to }) => ephemeral_to === user);
    found[text] = control.modal(user) === before ? (told?.text ?? '') : 'a form';
  }
  return found;
}

const allowed = {
  settings: 'a form',
  report: expect.stringContaining('No requests'),
  doctor: expect.stringContaining('Slack'),
};

describe('without ADMINS and admins, the administrators are those of the workspace (A0)', () => {
  test.each(['isAdmin', 'isOwner', 'isPrimaryOwner'] as const)(
    'a person with %s is one',
    async (standing) => {
      await using world = await startStrictWorld();
      world.slack.control.addUser({ id: carol, name: 'carol', [standing]: true });
      world.slack.control.invite(general, carol);
      expect(await answers(world, carol)).toEqual(allowed);
    },
  );

  test('everybody else reads what the operator can set, with their own id', async () => {
    await using world = await startStrictWorld();
    const refused = expect.stringContaining(`${YET}. Its operator can set \`ADMINS=${alice}\` (that's you).`);
    expect(await answers(world, alice)).toEqual({ settings: refused, report: refused, doctor: refused });
  });

  test('an admin of another workspace is none here', async () => {
    await using world = await startStrictWorld({
      configFile: `access: { other_workspaces: true, shared_channels: [${general}] }`,
    });
    const { control } = world.slack;
    control.addUser({ id: carol, name: 'carol', isAdmin: true, teamId: 'T0ELSEWHERE' });
    control.invite(general, carol);
    expect((await answers(world, carol)).settings).toContain(YET);
  });

  test('a person of whom Slack does not tell is none', async () => {
    await using world = await startStrictWorld({
      configFile: 'access: { guests: true, other_workspaces: true }',
    });
    world.slack.control.addUser({ id: carol, name: 'carol', isAdmin: true });
    world.slack.control.invite(general, carol);
    world.slack.onCall(({ method }) => (method === 'users.info' ? { error: 'internal_error' } : null));
    expect((await answers(world, carol)).settings).toContain(YET);
  });
});

describe('where the settings name the administrators (A0)', () => {
  test.each([
    ['ADMINS', { settings: { ADMINS: `${alice}, ${bob}` } }],
    ['admins', { configFile: `admins: [${alice}, ${bob}]` }],
    ['both', { settings: { ADMINS: alice }, configFile: `admins: [${bob}]` }],
  ])('%s: only they are, and refusals name them', async (_where, options) => {
    await using world = await startStrictWorld(options);
    world.slack.control.addUser({ id: carol, name: 'carol', isAdmin: true });
    world.slack.control.invite(general, carol);
    expect(await answers(world, bob)).toEqual(allowed);
    expect(await answers(world, carol)).toEqual({
      settings: expect.stringContaining('Only administrators can change settings here. Ask @alice or @bob.'),
      report: expect.stringContaining('Only administrators can see this. Ask @alice or @bob.'),
      doctor: expect.stringContaining('Only administrators can see this. Ask @alice or @bob.'),
    });
  });
});
