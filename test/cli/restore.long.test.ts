import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { agentCalls, killHard, startOutside } from '../crash/support/outside.ts';
import { runProgram } from '../support/child-program.ts';
import { alice, describeWithLocalSlack, general } from '../support/local-slack.ts';
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
