import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { findLocalSlack } from '../../demo/local-slack/find.ts';
import { demoWorkspace } from '../../demo/local-slack/workspace.ts';
import { runDemo, runProgram } from '../support/child-program.ts';
import { alice, createSlackControl, describeWithLocalSlack } from '../support/local-slack.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { waitFor } from '../support/wait-for.ts';

const [docs, docsChanges] = demoWorkspace.channels;

describeWithLocalSlack('the demo', () => {
  const LOCAL_SLACK_BIN = findLocalSlack(process.env) ?? '';

  test.concurrent('leads from a command to a pull request in the thread, and leaves nothing behind', async () => {
    await using folder = await createTempDir();
    await using demo = runDemo({ LOCAL_SLACK_BIN, TMPDIR: folder.path }, ['--more']);
    const [, url = ''] = await demo.printed(/Open (http:\S+) and, in #docs, type:/);
    await demo.printed(/\/docs-agent Add a quickstart/);
    expect(await (await fetch(url)).text()).toMatch(/<!doctype html>/i);

    const slack = createSlackControl(url);
    await slack.command({ channel: docs.id, user: alice, text: 'Add a quickstart' });
    const told = await waitFor(
      async () => (await slack.messages(docs.id)).filter(({ text }) => text.includes('🎉')),
      (messages) => messages.length > 0,
      { what: 'the pull request', timeoutMs: 20_000 },
    );
    expect(told).toHaveLength(1);
    expect(told[0]?.thread_ts).toBe((await slack.messages(docs.id))[0]?.ts);
    expect(told[0]?.text).toMatch(/<@U0ALICE>.*\/pull\/1/s);
    await waitFor(
      () => slack.messages(docsChanges.id),
      (messages) => messages.length === 1,
      { what: 'the notice' },
    );

    const [, envFile = ''] = await demo.printed(/--env-file=(\S+) \S+ doctor/);
    await using doctor = runProgram(['doctor'], {}, [`--env-file=${envFile}`]);
    expect((await doctor.exit).code, doctor.output()).toBe(0);
    expect(doctor.output()).toContain('✓ Notice channel C0CHANGES: the bot is in it');

    expect(await readdir(folder.path)).not.toEqual([]);
    demo.kill('SIGINT');
    expect(await demo.exit).toEqual({ code: 0, signal: null });
    await expect(fetch(url)).rejects.toThrow('fetch failed');
    expect(await readdir(folder.path)).toEqual([]);
    expect(demo.output()).not.toMatch(/^\s+at /m);
    expect(demo.output()).toMatch(/others in your network can open its page.*The demo runs/s);
    expect(demo.output()).not.toMatch(/ERROR|WARN/);
  });

  test.concurrent('says in eight lines where to look and what to type', async () => {
    await using folder = await createTempDir();
    await using demo = runDemo({ LOCAL_SLACK_BIN, TMPDIR: folder.path });
    await demo.printed(/npm run demo -- --more/);
    const lines = demo
      .output()
      .split('\n')
      .filter((line) => line !== '');
    expect(lines).toHaveLength(8);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120);
    expect(lines.filter((line) => line.startsWith('    '))).toEqual([
      '    /docs-agent Add a quickstart',
      expect.stringMatching(/^ {4}Mention npx as well {3,}\w/),
      expect.stringMatching(/^ {4}\/docs-agent Explain unclear errors {3,}\w/),
      expect.stringMatching(/^ {4}\/docs-agent run release-notes {3,}\w/),
    ]);
  });

  test.concurrent('that is killed takes its local Slack along', async () => {
    await using folder = await createTempDir();
    await using demo = runDemo({ LOCAL_SLACK_BIN, TMPDIR: folder.path });
    const [, url = ''] = await demo.printed(/Open (http:\S+) and/);
    demo.kill('SIGKILL');
    await demo.exit;
    const isReachable = () =>
      fetch(url).then(
        () => true,
        () => false,
      );
    await waitFor(isReachable, (reachable) => !reachable, { what: 'the local Slack to end' });
  });
});

test.concurrent('the demo on a machine without a local Slack says how to get one', async () => {
  await using folder = await createTempDir();
  // An architecture that the npm package is not made for.
  const elsewhere = `Object.defineProperty(process, 'arch', { value: 'riscv64' })`;
  await using demo = runDemo({
    PATH: '',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(elsewhere)}`,
    TMPDIR: folder.path,
  });
  expect(await demo.exit).toEqual({ code: 78, signal: null });
  expect(demo.output()).toMatch(/There is no local Slack on this machine\. .*npm install.*LOCAL_SLACK_BIN/);
  expect(demo.output()).not.toMatch(/^\s+at /m);
  expect(await readdir(folder.path)).toEqual([]);
});

test.concurrent('the demo with a local Slack that cannot be run says so, and leaves nothing behind', async () => {
  await using folder = await createTempDir();
  await using demo = runDemo({
    LOCAL_SLACK_BIN: '/nowhere/local-slack',
    TMPDIR: folder.path,
  });
  expect(await demo.exit).toEqual({ code: 78, signal: null });
  expect(demo.output()).toMatch(/cannot start\. local Slack \(\/nowhere\/local-slack\) ended at its start/);
  expect(demo.output()).not.toMatch(/^\s+at /m);
  expect(await readdir(folder.path)).toEqual([]);
});
