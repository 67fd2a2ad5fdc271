import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { agentCalls, killHard, startOutside } from '../crash/support/outside.ts';
import { runProgram } from '../support/child-program.ts';
import { alice, describeWithLocalSlack, general } from '../support/local-slack.ts';
import { createLimitedDatabase, queryAt, testServerUrl } from '../support/postgres.ts';
import { createTempDir } from '../support/temp-dir.ts';

const DOCUMENT = new URL('../../docs/operations/backup.md', import.meta.url);
const PR = 'https://github.com/acme/docs/pull/7';

async function documented(which: RegExp): Promise<string> {
  const [, lines] = which.exec(await readFile(DOCUMENT, 'utf8')) ?? [];
  if (lines === undefined) throw new Error('the document does not say how to restore');
  return lines;
}

/** The documented lines, for a machine without the users and the service of systemd. */
async function documentedLines(places: Readonly<Record<string, string>>): Promise<string> {
  const lines = await documented(/```sh\n(sudo systemctl stop docs-agent\n.*?)```/s);
  const here = lines
    .replace(/^sudo systemctl stop docs-agent$/m, '')
    .replace(/^sudo docs-agent doctor.*$/m, '')
    .replaceAll('sudo ', '')
    .replaceAll(/ -o docs-agent -g docs-agent/g, '');
  return Object.entries(places).reduce((script, [place, path]) => script.replaceAll(place, path), here);
}

describeWithLocalSlack('a backup that is restored by the documented lines', () => {
  test('goes on with its open jobs: the agent’s answers are reported, and what waited goes out', {
    timeout: 300_000,
  }, async () => {
    await using folder = await createTempDir();
    await using world = await startOutside({ SETTLE_WINDOW: '0' });
    const ask = (text: string) => world.slack.command({ channel: general, user: alice, text });
    const program = await world.start();
    await ask('Add a quickstart');
    await world.messageSeen('On it');
    const card = await world.card();
    const [job] = world.api.jobs;
    if (job === undefined) throw new Error('there is no job');
    // The agent refuses for now, so the reply waits at the time of the backup.
    const refused = { status: 429, headers: { 'retry-after': '20' } };
    world.agentProxy.fail(agentCalls.messageTo(job.id), refused);
    await world.slack.reply(card, 'Mention the CLI');
    const tries = () => world.agentProxy.calls(agentCalls.messageTo(job.id)).length;
    await expect.poll(tries, { message: 'the reply to be refused' }).toBeTruthy();

    const backups = join(folder.path, 'backups');
    await using backup = runProgram(['backup', backups], world.env);
    expect(await backup.exit).toEqual({ code: 0, signal: null });
    const [, path] = await backup.printed(/Backed up and checked: (\S+)/);
    await killHard(program);

    const dataDir = world.dataDir;
    const script = await documentedLines({
      '/var/lib/docs-agent': dataDir,
      '/var/backups/docs-agent/docs-agent-2026-11-20T03-12-44Z.db': path ?? '',
    });
    await promisify(execFile)('sh', ['-euc', script]);
    await using doctor = runProgram(['doctor', '--json'], world.env);
    await doctor.exit;
    expect(doctor.output()).toMatch(/"check": "store",\s+"subject": null,\s+"level": "ok"/);
    await world.start();
    await expect.poll(() => job.prompts, { message: 'the reply to go out' }).toHaveLength(2);
    world.api.finish(job.id, { status: 'completed', prLink: PR });
    await world.messageSeen(PR);
    expect(world.api.jobs.map(({ prompts }) => prompts)).toEqual([['Add a quickstart', 'Mention the CLI']]);
    const messages = await world.messages();
    expect(messages.filter(({ thread_ts }) => thread_ts === undefined)).toHaveLength(1);
    expect(messages.filter(({ text }) => text.includes(PR) && text.includes('🎉'))).toHaveLength(1);
  });
});

describe.skipIf(testServerUrl === undefined || !hasTools())(
  'a dump of Postgres that the administrator restores by the documented lines (skipped without a server and its tools)',
  () => {
    describeWithLocalSlack('for a role that owns its database', () => {
      test('goes on with its open jobs', async () => {
        await using folder = await createTempDir();
        const server = new URL(testServerUrl ?? '');
        const database = await createLimitedDatabase(server.href, 20);
        onTestFinished(() => database.drop());
        await using world = await startOutside({ DATABASE_URL: database.url, SETTLE_WINDOW: '0' });
        const program = await world.start();
        await world.slack.command({ channel: general, user: alice, text: 'Add a quickstart' });
        await world.messageSeen('On it');
        const name = new URL(database.url).username;
        const lines = (await documented(/```sh\n(pg_dump -Fc docs_agent .*?)```/s)).replaceAll(
          'docs_agent',
          name,
        );
        onTestFinished(async () => {
          await queryAt(server.href, `drop database if exists ${name}_restored with (force)`);
        });
        await promisify(execFile)('sh', ['-euc', lines], {
          cwd: folder.path,
          env: {
            PATH: process.env.PATH,
            PGHOST: server.hostname,
            PGPORT: server.port,
            PGUSER: decodeURIComponent(server.username),
            PGPASSWORD: decodeURIComponent(server.password),
          },
        });
        await killHard(program);

        const restored = { DATABASE_URL: `${database.url}_restored` };
        await using doctor = runProgram(['doctor', '--json'], { ...world.env, ...restored });
        await doctor.exit;
        expect(doctor.output()).toMatch(/"check": "store",\s+"subject": null,\s+"level": "ok"/);
        await world.launch(restored, []).logged('started');
        world.finish(PR);
        await world.messageSeen(PR);
      });
    });
  },
);

function hasTools(): boolean {
  return ['pg_dump', 'createdb', 'pg_restore'].every(
    (tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).status === 0,
  );
}
