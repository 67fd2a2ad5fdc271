import { expect, test } from 'vitest';
import { alice, bob, general } from '../support/local-slack.ts';
import { type StrictWorld, startStrictWorld } from './support/strict-world.ts';

const carol = 'U0CAROL';
const YET = 'docs-agent has no administrators yet';

/** What the person reads privately after each command for administrators, or the title of the form that opens. */
async function answers(world: StrictWorld, user: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const text of ['settings', 'report', 'doctor']) {
    const before = world.form(user);
    await world.command(text, user);
    found[text] = world.form(user) === before ? ((await world.privately(user)).at(-1) ?? '') : 'a form';
  }
  return found;
}

const allowed = {
  settings: 'a form',
  report: expect.stringContaining('No requests'),
  doctor: expect.stringContaining('Slack'),
};

test('without ADMINS and admins, the administrators are those of the workspace; others read what the operator can set, with their id (A0)', async () => {
  await using world = await startStrictWorld({
    configFile: `access: { guests: true, other_workspaces: true, shared_channels: [${general}] }`,
  });
  const { control } = world.slack;
  for (const standing of ['isAdmin', 'isOwner', 'isPrimaryOwner'] as const) {
    const id = `U0${standing.toUpperCase()}`;
    control.addUser({ id, name: standing, [standing]: true });
    control.invite(general, id);
    expect(await answers(world, id)).toEqual(allowed);
  }
  const refused = expect.stringContaining(`${YET}. Its operator can set \`ADMINS=${alice}\` (that's you).`);
  expect(await answers(world, alice)).toEqual({ settings: refused, report: refused, doctor: refused });

  control.addUser({ id: carol, name: 'carol', isAdmin: true, teamId: 'T0ELSEWHERE' });
  // Nor is one of whom Slack does not tell.
  control.addUser({ id: 'U0DAN', name: 'dan', isAdmin: true });
  world.slack.onCall(({ method, args }) =>
    method === 'users.info' && args.user === 'U0DAN' ? { error: 'internal_error' } : null,
  );
  for (const id of [carol, 'U0DAN']) {
    control.invite(general, id);
    expect((await answers(world, id)).settings).toContain(YET);
  }
});

test('where ADMINS and admins name the administrators, only they are, and refusals name them (A0)', async () => {
  await using world = await startStrictWorld({
    settings: { ADMINS: alice },
    configFile: `admins: [${bob}]`,
  });
  world.slack.control.addUser({ id: carol, name: 'carol', isAdmin: true });
  world.slack.control.invite(general, carol);
  for (const user of [alice, bob]) expect(await answers(world, user)).toEqual(allowed);
  expect(await answers(world, carol)).toEqual({
    settings: expect.stringContaining('Only administrators can change settings here. Ask @alice or @bob.'),
    report: expect.stringContaining('Only administrators can see this. Ask @alice or @bob.'),
    doctor: expect.stringContaining('Only administrators can see this. Ask @alice or @bob.'),
  });
});
