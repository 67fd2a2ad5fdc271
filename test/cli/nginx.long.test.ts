import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { localApp } from '../../demo/local-slack/workspace.ts';
import { runCommand, runProgram } from '../support/child-program.ts';
import { freePort } from '../support/free-port.ts';
import { present } from '../support/is.ts';
import { createSignedSlack } from '../support/signed-slack.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { waitFor } from '../support/wait-for.ts';
import { SIGNING_SECRET, settings } from './support/settings.ts';
import { startTinySlack } from './support/tiny-slack.ts';

const nginx = [process.env.NGINX_BIN ?? '', '/usr/sbin/nginx'].find((path) => existsSync(path));
if (nginx === undefined)
  console.log('Skipped: there is no nginx (on Debian: apt-get install nginx; or NGINX_BIN).');

/** Puts the file's server, with another address and certificate, into a configuration of its own. */
function configure(folder: string, port: number, programPort: number): string {
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=bot.example.com'].concat([
      '-keyout',
      `${folder}/privkey.pem`,
      '-out',
      `${folder}/fullchain.pem`,
    ]),
    { stdio: 'ignore' },
  );
  const file = readFileSync(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8');
  const server = file
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('127.0.0.1:3000', `127.0.0.1:${programPort}`)
    .replaceAll('/etc/letsencrypt/live/bot.example.com', folder);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n');
  writeFileSync(
    `${folder}/nginx.conf`,
    `daemon off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${server}\n}\n`,
  );
  return `${folder}/nginx.conf`;
}

test.skipIf(nginx === undefined)(
  'deploy/nginx.conf forwards what Slack and webhooks send, and nothing else',
  async () => {
    // The certificate is nobody's.
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    await using folder = await createTempDir();
    await using slack = await startTinySlack();
    await using program = runProgram(['start'], {
      ...settings,
      SLACK_API_URL: slack.apiUrl,
      DATA_DIR: `${folder.path}/data`,
    });
    const { port: programPort } = await program.logged('started');
    const port = await freePort();
    const config = configure(folder.path, port, Number(programPort));
    await using proxy = runCommand([nginx ?? '', '-c', config, '-p', folder.path], {});
    const url = `https://127.0.0.1:${port}`;
    const answer = (path: string, init?: RequestInit) =>
      fetch(`${url}${path}`, init).then(
        async (response) => ({ status: response.status, body: await response.text() }),
        () => null,
      );
    await waitFor(() => answer('/'), present, { what: `nginx: ${proxy.output()}` });

    const people = createSignedSlack({
      url: `${url}/slack/events`,
      signingSecret: SIGNING_SECRET,
      teamId: localApp.teamId,
    });
    const command = { channelId: 'C0DOCS', userId: 'U0ALICE', text: 'help' };
    for (let times = 0; times < 20; times += 1) {
      expect(await people.sendCommand(command)).toMatchObject({ status: 200 });
    }
    expect(await people.sendCommand(command, { signature: 'wrong' })).toMatchObject({ status: 401 });
    const hook = await answer('/hooks/release-notes', { method: 'POST', body: '{}' });
    expect(hook?.body).not.toContain('nginx');
    for (const path of ['/metrics', '/livez', '/readyz', '/slack/events/../../metrics', '/slack', '/']) {
      expect(await answer(path), path).toMatchObject({ status: 404, body: expect.stringContaining('nginx') });
    }
    const large = await answer('/slack/events', { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) });
    expect(large?.status).toBe(413);
  },
);
