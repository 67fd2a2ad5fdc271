import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { type ChildEnv, outcomeOf } from '../support/child-program.ts';
import { oauth } from '../support/settings.ts';
import { acme, beta, startTeamsProgram } from '../support/slack-teams/program.ts';
import { settings } from './support/settings.ts';

const first = oauth.TOKEN_ENCRYPTION_KEY;
const second = `k2:${'B'.repeat(42)}A=`;

const reencrypt = (env: ChildEnv) => outcomeOf(['reencrypt-tokens'], env);

test('docs-agent reencrypt-tokens puts all tokens under the first key, and then the old one is not needed', async () => {
  await using program = await startTeamsProgram();
  await program.services[0]?.stop();
  const env: ChildEnv = {
    ...settings,
    ...oauth,
    SLACK_BOT_TOKEN: undefined,
    DATA_DIR: program.env.DATA_DIR,
    TOKEN_ENCRYPTION_KEY: `${second},${first}`,
  };
  expect(await reencrypt(env)).toEqual({
    code: 0,
    output: 'Encrypted the tokens of 2 installations with the key k2. Keys in use: k2 (2).\n',
  });
  expect((await reencrypt(env)).output).toContain('of 0 installations');
  const database = new DatabaseSync(`${program.env.DATA_DIR}/docs-agent.db`, { readOnly: true });
  expect(database.prepare('select distinct key_id from installation').all()).toEqual([{ key_id: 'k2' }]);
  database.close();
  await program.restart({ TOKEN_ENCRYPTION_KEY: second });
  await program.ask(acme, 'Fix the typos');
  await program.card(acme, 'Fix the typos');
  await program.services[0]?.stop();
  const withoutKey = await reencrypt({ ...env, TOKEN_ENCRYPTION_KEY: first });
  expect(withoutKey.code).toBe(78);
  expect(withoutKey.output).toMatch(
    /^docs-agent reencrypt-tokens failed\. The tokens of 2 installations \(/m,
  );
  expect(withoutKey.output).toContain('the key "k2" is not among those of TOKEN_ENCRYPTION_KEY');
  const byHand = await reencrypt({ ...settings, DATA_DIR: program.env.DATA_DIR });
  expect(byHand.output).toContain('There are no tokens to encrypt');
});

test('one token that cannot be read does not keep the others under the old key', async () => {
  await using program = await startTeamsProgram();
  await program.services[0]?.stop();
  const path = `${program.env.DATA_DIR}/docs-agent.db`;
  const database = new DatabaseSync(path);
  database.exec(`update installation set bot_token = 'changed' where id = '${acme}'`);
  const env: ChildEnv = {
    ...settings,
    ...oauth,
    SLACK_BOT_TOKEN: undefined,
    DATA_DIR: program.env.DATA_DIR,
    TOKEN_ENCRYPTION_KEY: `${second},${first}`,
  };
  const { code, output } = await reencrypt(env);
  expect(code).toBe(78);
  expect(output).toContain(`The tokens of one installation (${acme}) cannot be read`);
  expect(database.prepare('select id, key_id from installation order by id').all()).toEqual([
    { id: acme, key_id: 'k1' },
    { id: beta, key_id: 'k2' },
  ]);
  database.close();
});
