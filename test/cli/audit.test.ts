import { expect, test } from 'vitest';
import { type StrictWorld, startStrictWorld } from '../e2e/support/strict-world.ts';
import type { ChildEnv } from '../support/child-program.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { alice, bob, general } from '../support/local-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { auditAt } from './support/printed.ts';

const guest = 'U0GUEST';
/** Alice asks, Bob replies, a guest is refused, and so is a workflow that nobody started. */
async function work({ slack: { control }, clock, working, settled }: StrictWorld): Promise<void> {
  control.addUser({ id: guest, name: 'gina', isRestricted: true });
  control.invite(general, guest);
  await control.reply(await working('Explain the webhooks'), 'And the retries');
  await settled();
  await control.command({ channel: general, user: guest, text: 'Explain the limits' });
  await clock.advance(1_000);
  await control.runStep({ request: 'Explain the limits', channel: general });
  await settled();
}

describeOnDatabases('audit', (make) => {
  test('says beside the running service who did what, in the order of time, and no texts (L4)', async () => {
    const { location, remove } = await make();
    const place: ChildEnv =
      'dataDir' in location ? { DATA_DIR: location.dataDir } : { DATABASE_URL: location.databaseUrl };
    {
      await using world = await startStrictWorld({
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
        { ...by(guest), ...refused, source: 'command', outcome: 'guest' },
        { ...by(null), ...refused, source: 'workflow', outcome: 'channel' },
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
