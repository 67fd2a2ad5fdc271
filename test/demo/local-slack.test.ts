import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findLocalSlack, type Machine } from '../../demo/local-slack/find.ts';
import { startLocalSlack } from '../../demo/local-slack.ts';
import { describeWithLocalSlack, testWorkspace } from '../support/local-slack.ts';
import { createTempDir } from '../support/temp-dir.ts';

describe('finding the local Slack', () => {
  const packaged: Machine = {
    platform: 'linux',
    arch: 'x64',
    resolve: (specifier) => `/modules/${specifier}`,
  };
  const bare: Machine = { ...packaged, resolve: () => null };

  test('takes LOCAL_SLACK_BIN first, and else the npm package for the platform', () => {
    expect(findLocalSlack({ LOCAL_SLACK_BIN: '/opt/slack', PATH: '' }, packaged)).toBe('/opt/slack');
    expect(findLocalSlack({ PATH: '' }, { ...packaged, platform: 'darwin', arch: 'arm64' })).toBe(
      '/modules/local-slack-darwin-arm64/bin/local-slack',
    );
  });

  test('else takes a program on the PATH, if it can be run, and finds nothing where there is nothing', async () => {
    await using empty = await createTempDir();
    await using folder = await createTempDir();
    const program = join(folder.path, 'local-slack');
    const env = { PATH: [empty.path, folder.path].join(delimiter) };
    await writeFile(program, '#!/bin/sh\n');
    expect(findLocalSlack(env, bare)).toBeNull();
    await chmod(program, 0o755);
    expect(findLocalSlack(env, bare)).toBe(program);
    expect(findLocalSlack({}, bare)).toBeNull();
  });
});

describe('a local Slack that does not come up', () => {
  const start = (binary: string, port = 0) => startLocalSlack({ binary, port, workspace: testWorkspace });

  test('is reported with what it said', async () => {
    await using folder = await createTempDir();
    const program = join(folder.path, 'local-slack');
    await writeFile(program, '#!/bin/sh\necho "the sky is falling" >&2\nexit 3\n', { mode: 0o755 });
    await expect(start(program)).rejects.toThrow(/ended at its start with code 3:\nthe sky is falling/);
  });

  describeWithLocalSlack('because its port is taken', () => {
    test('says so', async () => {
      const server = createServer().listen(0);
      onTestFinished(() => void server.close());
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const starting = start(findLocalSlack(process.env) ?? '', port);
      await expect(starting).rejects.toThrow(/ended at its start.*EADDRINUSE/s);
    });
  });
});
