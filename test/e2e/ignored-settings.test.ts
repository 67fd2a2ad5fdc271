import { expect, test } from 'vitest';
import { startProgram } from '../support/strict-slack/program.ts';

test('a misspelt setting does not keep the program from starting, and is named in its log', async () => {
  await using program = await startProgram({ settings: { NOTICE_CHANEL: 'C0123' } });
  const logged = program.log.map((line) => JSON.parse(line));
  expect(logged).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      event: 'setting_ignored',
      setting: 'NOTICE_CHANEL',
      reason: 'unknown setting, did you mean NOTICE_CHANNELS?',
    }),
  );
});
