import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { ChildEnv } from '../support/child-program.ts';
import { oauth } from '../support/settings.ts';
import { acme, beta, startTeamsProgram } from '../support/slack-teams/program.ts';
import { outcomeHere } from './support/printed.ts';
import { settings } from './support/settings.ts';

const first = oauth.TOKEN_ENCRYPTION_KEY;
const second = `k2:${'B'.repeat(42)}A=`;

const reencrypt = (env: ChildEnv) => outcomeHere('reencrypt-tokens', [], env);

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
  const database = new DatabaseSync(`${program.env.DATA_DIR}/docs-agent.db`);
  const ofAcme = `from installation where id = '${acme}'`;
  const { bot_token: token } = database.prepare(`select bot_token ${ofAcme}`).get() ?? {};
  const setToken = database.prepare(`update installation set bot_token = ? where id = '${acme}'`);
  const keys = () => database.prepare('select id, key_id from installation order by id').all();
  // One that cannot be read does not keep the others under the old key.
  setToken.run('changed');
  const { code, output } = await reencrypt(env);
  expect(code).toBe(78);
  expect(output).toContain(`The tokens of one installation (${acme}) cannot be read`);
  expect(keys()).toEqual([
    { id: acme, key_id: 'k1' },
    { id: beta, key_id: 'k2' },
  ]);
  setToken.run(token ?? null);
  expect(await reencrypt(env)).toEqual({
    code: 0,
    output: 'Encrypted the tokens of 1 installation with the key k2. Keys in use: k2 (2).\n',
  });
  expect((await reencrypt(env)).output).toContain('of 0 installations');
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
