import { expect, test } from 'vitest';
import { type SettingName, settingNames, settings } from '../../../src/app/config/settings.ts';
import { oauth, problemsOf } from '../../support/settings.ts';

/** An id is not secret, and the example address leads nowhere. */
const open: readonly SettingName[] = ['SLACK_CLIENT_ID', 'DATABASE_URL', 'ADMINS'];
const secrets = settingNames.filter((name) => settings[name].isSecret && !open.includes(name));
const notYours = 'is still the example: replace it with your own';

test.each(secrets)(
  'the example of %s is refused as a secret, and is not taken for a mistake of its form',
  (name) => {
    const { error } = settings[name].check.safeParse(settings[name].example);
    expect(error?.issues.map(({ message }) => message)).toEqual([notYours]);
  },
);

test('the example key is refused under any name, and beside another', () => {
  const [, key] = settings.TOKEN_ENCRYPTION_KEY.example.split(':');
  const given = { ...oauth, SLACK_BOT_TOKEN: undefined, DOCS_AGENT_CONFIG: 'x' };
  const problems = problemsOf({
    ...given,
    TOKEN_ENCRYPTION_KEY: `${oauth.TOKEN_ENCRYPTION_KEY},other:${key}`,
  });
  expect(problems).toContainEqual(
    expect.objectContaining({
      variable: 'TOKEN_ENCRYPTION_KEY',
      message: notYours,
    }),
  );
});
