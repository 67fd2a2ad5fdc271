import { execFileSync } from 'node:child_process';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findLocalSlack } from '../../demo/local-slack/find.ts';
import { demoWorkspace } from '../../demo/local-slack/workspace.ts';
import { runDemo, runProgram } from '../support/child-program.ts';
import { has, present, some } from '../support/is.ts';
import { alice, createSlackControl, describeWithLocalSlack } from '../support/local-slack.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { waitFor } from '../support/wait-for.ts';

const [docs, docsChanges] = demoWorkspace.channels;
const demoFolder = join(import.meta.dirname, '../../demo');
const samples = join(demoFolder, 'repositories/docs');
const agent = join(demoFolder, 'agent/scripted-agent.ts');

describeWithLocalSlack('the demo', () => {
  const LOCAL_SLACK_BIN = findLocalSlack(process.env) ?? '';

  test.concurrent('leads from a command through real commits to a merge, and leaves nothing behind', async () => {
    await using folder = await createTempDir();
    await using demo = runDemo({ LOCAL_SLACK_BIN, TMPDIR: folder.path }, ['--more']);
    const [, url = ''] = await demo.printed(/Open (http:\S+) and, in #docs, type:/);
    await demo.printed(/\/docs-agent Add a quickstart/);
    expect(await (await fetch(url)).text()).toMatch(/<!doctype html>/i);

    const slack = createSlackControl(url);
    const says = (words: string | RegExp) =>
      waitFor(
        async () =>
          (await slack.messages(docs.id)).filter(({ text }) =>
            typeof words === 'string' ? text.includes(words) : words.test(text),
          ),
        some,
        { what: `"${words}"` },
      );
    await slack.command({ channel: docs.id, user: alice, text: 'Add a quickstart' });
    await says(/Working.* · reading 15 files/);
    const told = await says('Pull request ready:');
    expect(told).toHaveLength(1);
    expect(told[0]?.thread_ts).toBe((await slack.messages(docs.id))[0]?.ts);
    expect(told[0]?.text).toContain('“I put together what the docs say about it in');
    const [link = ''] = /http:\/\/127\.0\.0\.1:\d+\/acme\/docs\/pull\/1/.exec(told[0]?.text ?? '') ?? [];
    await waitFor(() => slack.messages(docsChanges.id), has(1), { what: 'the notice' });
    const [own = ''] = (await readdir(folder.path)).filter((name) => name.startsWith('docs-agent-demo-'));
    const repository = join(folder.path, own, 'docs.git');
    const git = (...args: string[]) =>
      execFileSync('git', [`--git-dir=${repository}`, ...args], { encoding: 'utf8' }).trim();
    const branch = git('for-each-ref', '--format=%(refname)', 'refs/heads/docs-agent');
    expect(git('show', `${branch}:docs/quickstart.md`)).toMatch(/^# Quickstart\n/);
    const page = await (await fetch(link)).text();
    expect(page).toContain('<span class="add">+# Quickstart</span>');

    const threadTs = told[0]?.thread_ts ?? '';
    await slack.message({ channel: docs.id, user: alice, text: 'Mention npx as well', threadTs });
    await says('I mentioned npx');
    expect(git('log', '--format=%an: %s', `main..${branch}`).split('\n')).toEqual([
      'docs-agent: Mention npx as well',
      'docs-agent: Add a quickstart',
    ]);
    expect(await (await fetch(link)).text()).toContain('wants to merge 2 commits');
    await fetch(`${link}/merge`, { method: 'POST' });
    expect(git('show', 'main:docs/quickstart.md')).toContain('npx @acme/relay');
    await says('*Merged* by alice');

    const [, envFile = ''] = await demo.printed(/--env-file=(\S+) \S+ doctor/);
    await using doctor = runProgram(['doctor'], {}, [`--env-file=${envFile}`]);
    expect((await doctor.exit).code, doctor.output()).toBe(0);
    expect(doctor.output()).toContain('✓ Notice channel C0CHANGES: the bot is in it');

    demo.kill('SIGINT');
    expect(await demo.exit).toEqual({ code: 0, signal: null });
    await expect(fetch(url)).rejects.toThrow('fetch failed');
    expect(await readdir(folder.path)).toEqual([]);
    expect(demo.output()).not.toMatch(/^\s+at /m);
    expect(demo.output()).toMatch(/others in your network can open its page.*The demo runs/s);
    expect(demo.output()).not.toMatch(/ERROR|WARN/);
  });

  test.concurrent('shows what goes wrong, on request', async () => {
    await using folder = await createTempDir();
    await using demo = runDemo({ LOCAL_SLACK_BIN, TMPDIR: folder.path });
    const [, url = ''] = await demo.printed(/Open (http:\S+) and/);
    const slack = createSlackControl(url);
    const ask = (text: string) => slack.command({ channel: docs.id, user: alice, text });
    const says = (...words: string[]) =>
      waitFor(
        async () =>
          (await slack.messages(docs.id)).find(({ text }) => words.every((one) => text.includes(one))),
        present,
        { what: words.join() },
      );
    await ask('nothing: Fix the links');
    await ask('fail: Translate it');
    await ask('vague: Improve it');
    await says('“I found nothing that has to change.”');
    await says('The agent ended by itself: the demo said fail');
    await says('This is too vague to work on');

    await ask('unclear: Explain the rate limits');
    await demo.printed(
      /The agent took “unclear: Explain the rate limits” as job_\w+, but could not say so\./,
    );
    await says('I explained the rate limits');
    await ask('project=handbook Explain unclear holidays');
    await says("Couldn't confirm");
    await ask('outage: Explain the logging');
    await says('I explained the logging');

    await ask('slow: Explain the events');
    const card = await says('slow: Explain the events', ' · reading');
    if (card !== undefined) await slack.press(card, 'stop', alice);
    await says('⏹️ *Stopped* by');
    const texts = (await slack.messages(docs.id)).map(({ text }) => text);
    expect(texts.filter((text) => text.includes('Pull request ready:'))).toHaveLength(2);
    expect(texts.filter((text) => text.includes("Couldn't confirm"))).toHaveLength(2);
  });

  test.concurrent("works in a copy of somebody's own repository, with their agent, and keeps it", async () => {
    await using folder = await createTempDir();
    const own = join(folder.path, 'my docs');
    const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
    await cp(samples, own, { recursive: true });
    git('-C', own, 'init', '--quiet', '--initial-branch=trunk');
    git('-C', own, 'add', '--all');
    git('-C', own, '-c', 'user.name=Bob', '-c', 'user.email=b@example.com', 'commit', '-qm', 'Mine');
    const command = `${process.execPath} ${agent}`;
    const args = ['--repo', own, '--command', command];
    await using demo = runDemo({ LOCAL_SLACK_BIN, TMPDIR: folder.path, PATH: process.env.PATH }, args);
    const [, url = ''] = await demo.printed(/Open (http:\S+) and/);
    const [, copy = ''] = await demo.printed(/git fetch (\S+) docs-agent/);
    const slack = createSlackControl(url);
    await slack.command({ channel: docs.id, user: alice, text: 'Explain the webhooks' });
    const branch = await waitFor(
      async () =>
        git(`--git-dir=${copy}`, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/docs-agent'),
      (name) => name !== '',
      { what: 'the branch' },
    );
    demo.kill('SIGINT');
    expect(await demo.exit).toEqual({ code: 0, signal: null });
    expect(demo.output()).toContain(`Kept, with what the agent has done: ${copy}`);
    expect(git('-C', own, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/trunk');
    git('-C', own, 'fetch', '--quiet', copy, branch);
    expect(git('-C', own, 'diff', '--name-only', 'trunk', 'FETCH_HEAD')).toBe('docs/webhooks.md');
  });

  test.concurrent('says what is wrong with a repository or a command, and leaves nothing behind', async () => {
    await using folder = await createTempDir();
    const start = async (...args: string[]) => {
      await using demo = runDemo({ LOCAL_SLACK_BIN, TMPDIR: folder.path, PATH: process.env.PATH }, args);
      expect(await demo.exit).toEqual({ code: 78, signal: null });
      expect(demo.output()).not.toMatch(/^\s+at /m);
      return demo.output();
    };
    expect(await start('--repo', '/nowhere')).toContain(
      "cannot start. --repo /nowhere: fatal: repository '/nowhere'",
    );
    expect(await start('--command', '/bin/false')).toContain(
      'The agent: The agent ended by itself: exit code 1',
    );
    expect(await readdir(folder.path)).toEqual([]);
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
      expect.stringMatching(/^ {4}\/docs-agent Which plan has which rate limit\? {3,}\w/),
      expect.stringMatching(/^ {4}\/docs-agent project=handbook Explain unclear rules {3,}\w/),
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
    await waitFor(isReachable, false, { what: 'the local Slack to end' });
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
