import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { serve } from '../../src/runtime/http-server.ts';
import { changesOf, startRunnerWorld } from './support/world.ts';

const REPOSITORY = '/acme/docs.git';
const LOGIN = `Basic ${Buffer.from('x-access-token:code-host-token').toString('base64')}`;

/** Serves a folder's remote.git by git's own program. While `leadsTo` is set, it sends everybody there. */
async function startGitHost(folder: string, mustLogIn: boolean) {
  const host = { leadsTo: '', logins: [] as string[] };
  const listener: RequestListener = async (request, response) => {
    const { authorization } = request.headers;
    if (authorization !== undefined) host.logins.push(authorization);
    if (host.leadsTo !== '')
      return response.writeHead(302, { location: `${host.leadsTo}${request.url}` }).end();
    if (mustLogIn && authorization !== LOGIN)
      return response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
    const url = new URL(request.url ?? '', 'http://host');
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        REMOTE_USER: 'docs-agent',
        REQUEST_METHOD: request.method,
        PATH_INFO: url.pathname.replace(REPOSITORY, '/remote.git'),
        QUERY_STRING: url.search.slice(1),
        CONTENT_TYPE: request.headers['content-type'],
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      },
    });
    request.pipe(backend.stdin);
    const answer = await buffer(backend.stdout);
    const end = answer.indexOf('\r\n\r\n');
    for (const line of answer.toString('latin1', 0, end).split('\r\n')) {
      const [name = '', value = ''] = line.split(': ');
      response.setHeader(name, value);
    }
    return response.end(answer.subarray(end + 4));
  };
  const { port, close } = await serve(listener, { port: 0, host: '127.0.0.1' });
  return Object.assign(host, { address: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close });
}

test('git sends its token to the code host only, even when it is redirected elsewhere', async () => {
  await using home = await startRunnerWorld();
  await using host = await startGitHost(home.root, true);
  await using elsewhere = await startGitHost(home.root, false);
  const [codeHost] = home.settings.codeHosts;
  if (codeHost === undefined) throw new Error('no code host');
  await using world = await startRunnerWorld({
    repository: `${host.address}${REPOSITORY}`,
    codeHosts: [{ ...codeHost, webUrl: host.address }],
  });
  // A person's login must not be used instead.
  writeFileSync(join(world.root, 'home', '.netrc'), 'machine 127.0.0.1 login bob password secret\n');
  const { id } = await world.create('write docs/a.md A');
  const job = await world.rested(id);
  expect(job).toMatchObject({ reason: null, prLink: home.pulls[0]?.html_url });
  host.leadsTo = elsewhere.address;
  await world.message(id, 'write docs/b.md B');
  expect(await world.rested(id)).toMatchObject({ reason: null });
  expect(changesOf(home, job)).toEqual(['A docs/a.md', 'A docs/b.md']);
  expect([new Set(host.logins), elsewhere.logins]).toEqual([new Set([LOGIN]), []]);
});
