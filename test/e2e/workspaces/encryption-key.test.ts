import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import {
  acme,
  acmeProject,
  beta,
  startTeamsProgram,
  type TeamsProgram,
} from '../../support/slack-teams/program.ts';

const first = `k1:${'A'.repeat(43)}=`;
const second = `k2:${'B'.repeat(42)}A=`;
const another = `k1:${'C'.repeat(42)}A=`;
const file = ({ env }: TeamsProgram) => `${env.DATA_DIR}/docs-agent.db`;

test('no token is readable in the database; a new key in front writes, and the old one behind goes on reading; without it nothing starts, and the key is named (A2)', async () => {
  await using program = await startTeamsProgram();
  const database = new DatabaseSync(file(program), { readOnly: true });
  const rows = database.prepare('select * from installation order by id').all();
  database.close();
  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).not.toContain('xoxb');
  expect(rows.map(({ key_id }) => key_id)).toEqual(['k1', 'k1']);
  await program.restart({ TOKEN_ENCRYPTION_KEY: `${second},${first}` });
  await program.ask(acme, 'Fix the typos');
  await program.card(acme, 'Fix the typos');
  await expect(program.restart({ TOKEN_ENCRYPTION_KEY: second })).rejects.toThrow(
    'The tokens of 2 installations (T0ACME1, T0BETA1) cannot be read: the key "k1" is not among those of TOKEN_ENCRYPTION_KEY',
  );
  await expect(program.restart({ TOKEN_ENCRYPTION_KEY: another })).rejects.toThrow('the key "k1"');
});

test('a row that was copied over another is not used; the other workspaces go on, and the log names the one (A2)', async () => {
  await using program = await startTeamsProgram();
  await program.services[0]?.stop();
  const database = new DatabaseSync(file(program));
  database.exec(
    "update installation set bot_token = (select bot_token from installation where id = 'T0BETA1') where id = 'T0ACME1'",
  );
  database.close();
  await program.restart();
  expect(program.log.find((line) => line.includes('token_not_readable'))).toMatch(
    /"level":"error".*"installation_id":"T0ACME1"/,
  );
  await program.ask(beta, 'Fix the typos');
  await program.card(beta, 'Fix the typos');
  expect(await program.ask(acme, 'Fix the links')).toContain('administrator');
  await program.clock.advance(60_000);
  expect(program.prompts(acmeProject)).toEqual([]);
  await program.install(acme);
  await program.ask(acme, 'Fix the links');
  await program.card(acme, 'Fix the links');
});
