import { expect, test } from 'vitest';
import { alice, bob, general } from '../support/local-slack.ts';
import { startStrictWorld } from './support/strict-world.ts';

const configFile = `
projects:
  - id: acme-docs
    name: handbook
admins: [${alice}]
`;

test('`report` tells administrators, privately, what became of the last requests; and nobody else (L4)', async () => {
  await using world = await startStrictWorld({ configFile, settings: { SETTLE_WINDOW: '0' } });
  const { control } = world.slack;
  const ask = async (user: string) => {
    await control.command({ channel: general, user, text: 'report' });
    return (await control.messages(general)).findLast(({ subtype }) => subtype === 'ephemeral');
  };
  expect(await ask(bob)).toMatchObject({
    ephemeral_to: bob,
    text: expect.stringContaining('Only administrators can see this'),
  });
  expect((await ask(alice))?.text).toContain('*No requests*');
  const card = await world.ask('Document the rate limits');
  await world.threadMessage(card, 'On it');
  world.api.finish(world.api.jobs[0]?.id ?? '', {
    status: 'completed',
    prLink: 'https://github.com/acme/docs/pull/7',
  });
  await world.threadMessage(card, 'Pull request ready');
  const answer = await ask(alice);
  expect(answer?.ephemeral_to).toBe(alice);
  expect(answer?.text).toContain('\n*1 request* → 1 pull request\nTime to pull request: median ');
  expect(world.api.jobs).toHaveLength(1);

  await control.message({ channel: alice, user: alice, text: 'report' });
  await world.sentPrivately(alice, 'Type it as a command');
});

test('a request that begins with the word is a request, and a slip is asked about (L4, S2)', async () => {
  await using world = await startStrictWorld({ configFile });
  const { control } = world.slack;
  await control.command({ channel: general, user: alice, text: 'report the rate limits in the reference' });
  await world.started('report the rate limits in the reference');
  await control.command({ channel: general, user: alice, text: 'reports' });
  await world.sentPrivately(general, '*Did you mean* `/docs-agent report`?');
});
