import { expect, test } from 'vitest';
import { type StrictWorld, startStrictWorld } from '../e2e/support/strict-world.ts';
import type { ChildEnv } from '../support/child-program.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { alice, bob, general } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { auditAt } from './support/printed.ts';

const guest = 'U0GUEST';
const configFile = `
projects:
  - id: acme-docs
    name: handbook
admins: [${alice}]
`;

/** Alice asks, Bob replies, and presses a button, twice; a guest is refused, in all ways, and so is a
 * workflow that nobody started; Alice changes a setting. */
async function work(world: StrictWorld): Promise<string> {
  const { api, later, slack } = world;
  const { control } = slack;
  control.addUser({ id: guest, name: 'gina', isRestricted: true });
  control.invite(general, guest);
  const card = await world.working('Explain the webhooks');
  await control.reply(card, 'And the retries');
  await world.settled();
  api.finish(0, { status: 'failed' });
  const offer = await world.threadMessage(card, 'Failed');
  await control.press(offer, 'start_again', bob);
  await control.press(offer, 'start_again', bob);
  await control.command({ channel: general, user: guest, text: 'Explain the limits' });
  await world.clock.advance(1_000);
  await control.message({ channel: general, user: guest, text: `<@${strictApp.botUserId}> Explain it` });
  await world.clock.advance(1_000);
  await control.command({ channel: general, user: bob, text: 'project=handbok Explain it' });
  await world.clock.advance(1_000);
  await control.command({ channel: general, user: bob, text: 'settings' });
  await world.clock.advance(1_000);
  await control.command({ channel: general, user: alice, text: 'settings' });
  await later(() => control.modal(alice)?.callback_id, 'settings', 'the form');
  const asks = { request: 'Explain the limits', channel: general };
  await control.runStep({ ...asks, person: { id: guest, secret: 'hush' } });
  await world.clock.advance(1_000);
  await control.runStep(asks);
  await world.clock.advance(1_000);
  await control.submit(alice, { follow_up_mode: 'mentions' });
  await world.settled();
  return card.ts;
}

describeOnDatabases('audit', (make) => {
  test('says beside the running service who did what, in the order of time, and no texts (L4)', async () => {
    const { location, remove } = await make();
    const place: ChildEnv =
      'dataDir' in location ? { DATA_DIR: location.dataDir } : { DATABASE_URL: location.databaseUrl };
    {
      await using world = await startStrictWorld({
        configFile,
        settings: { SETTLE_WINDOW: '0', FOLLOW_UP_WINDOW: '0', ...place },
      });
      await work(world);
      const nowMs = world.clock.now() + 1;
      const lines = await auditAt(nowMs, place);
      const jobId = lines[0]?.job_id;
      const team_id = strictApp.teamId;
      const at = expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:.]+Z$/);
      const by = (user_id: string | null) => ({ at, team_id, user_id });
      const refused = { action: 'refusal', job_id: null };
      expect(lines).toEqual([
        { ...by(alice), action: 'start', source: 'command', job_id: jobId, outcome: 'open' },
        { ...by(bob), action: 'reply', source: 'thread', job_id: jobId, outcome: 'sent' },
        { ...by(bob), action: 'press', source: 'start_again', job_id: jobId, outcome: 'accepted' },
        { ...by(bob), action: 'press', source: 'start_again', job_id: jobId, outcome: 'too_late' },
        { ...by(guest), ...refused, source: 'command', outcome: 'guest' },
        { ...by(guest), ...refused, source: expect.stringMatching(/^(mention|message)$/), outcome: 'guest' },
        { ...by(bob), action: 'start', source: 'command', job_id: expect.any(String), outcome: 'asked' },
        { ...by(bob), ...refused, source: 'command', outcome: 'no_administrator' },
        { ...by(guest), ...refused, source: 'workflow', outcome: 'guest' },
        { ...by(null), ...refused, source: 'workflow', outcome: 'channel' },
        { ...by(alice), action: 'setting', source: 'settings', job_id: null, outcome: 'saved' },
      ]);
      expect(lines.map((line) => line.at)).toEqual(lines.map((line) => line.at).toSorted());

      const withTexts = await auditAt(nowMs, place, '--prompts');
      expect(withTexts.map(({ text }) => text).slice(0, 3)).toEqual([
        'Explain the webhooks',
        'And the retries',
        undefined,
      ]);
      await world.service.stop();
      expect(await auditAt(nowMs, place)).toEqual(lines);
    }
    await remove();
  });
});
