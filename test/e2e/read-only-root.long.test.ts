import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import { startOutside } from '../crash/support/outside.ts';
import { createImage, noReadOnlyRoot } from '../support/image.ts';
import { alice, general } from '../support/local-slack.ts';
import { startStrictSlack } from '../support/strict-slack.ts';

const PR = 'https://github.com/acme/docs/pull/7';

async function strictSlack() {
  const slack = await startStrictSlack({ clock: systemClock, app: { mode: 'socket' } });
  return Object.assign(slack, { places: [general] });
}

const skipped = noReadOnlyRoot === null ? '' : ` (skipped: ${noReadOnlyRoot})`;

describe.skipIf(noReadOnlyRoot !== null)(`the image on a read-only root${skipped}`, () => {
  test('does a whole job: the pull request is announced, and doctor finds nothing that fails', async () => {
    await using image = await createImage();
    await using world = await startOutside({ SETTLE_WINDOW: '0' }, strictSlack);
    await using program = image.run(['start'], world.env);
    await program.logged('started');
    await world.slack.command({ channel: general, user: alice, text: 'Add an install guide' });
    await world.messageSeen('On it');
    world.finish(PR);
    await world.messageSeen(PR);
    expect(program.log().filter(({ level }) => level === 'error')).toEqual([]);
    await using doctor = image.run(['doctor'], world.env);
    await doctor.exit;
    expect(doctor.output()).not.toContain('✗');
    program.kill('SIGTERM');
    expect(await program.exit).toEqual({ code: 0, signal: null });
  });
});
