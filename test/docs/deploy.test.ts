import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { settingNames, settings } from '../../src/app/config/settings.ts';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

const FILES = [
  'deploy/compose.yml',
  'deploy/compose-runner.yml',
  'deploy/docs-agent.service',
  'deploy/docs-agent-runner.service',
  'deploy/runner.Dockerfile',
  'deploy/kubernetes.yml',
  'deploy/fly.toml',
  'docs/operations/deploy.md',
];

const OURS = /\b(?:SLACK|AGENT|DATABASE|DATA|DOCS_AGENT|POLL|PORT|HOST|RUNNER|GITHUB)_[A-Z_]+\b/g;

describe('the files to deploy with', () => {
  test.each(FILES)('%s sets only what there is to set', (file) => {
    const known: ReadonlySet<string> = new Set([
      ...settingNames,
      ...settingNames.map((name) => `${name}_FILE`),
      'DOCS_AGENT_CONFIG',
    ]);
    const unknown = [...read(file).matchAll(OURS)].map(([name]) => name).filter((name) => !known.has(name));
    expect(unknown).toEqual([]);
  });

  test('give the program the time that it may need to stop (STOP_TIMEOUT), and some more', () => {
    expect(settings.STOP_TIMEOUT.example).toBe('40s');
    expect(read('deploy/compose.yml')).toContain('stop_grace_period: 45s');
    expect(read('deploy/docs-agent.service')).toContain('TimeoutStopSec=45');
    expect(read('deploy/kubernetes.yml')).toContain('preStop: { sleep: { seconds: 5 } }');
    expect(read('deploy/kubernetes.yml')).toContain('terminationGracePeriodSeconds: 55');
    expect(read('deploy/fly.toml')).toContain("kill_timeout = '45s'");
    expect(read('docs/operations/deploy.md')).toContain('--stop-timeout 45');
  });

  test('run commands as the systemd unit runs the program: same Node, user, folder and settings', () => {
    const unit = read('deploy/docs-agent.service');
    const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
    const folder = settingOf('WorkingDirectory');
    const [node = '', option = '', program = ''] = settingOf('ExecStart').split(' ');
    const script = read('deploy/docs-agent.sh');
    expect(script).toContain(`cd ${folder} && exec runuser -u ${settingOf('User')} --`);
    const inFolder = (path: string) => path.replace(`${folder}/`, '');
    expect(script).toContain(`${inFolder(node)} ${option} ${inFolder(program)} "$@"`);
    expect(script).toContain(`' ${settingOf('EnvironmentFile')})\n`);
  });

  test.each([
    ['a "#" or "$" inside of a value', 'A=abc#def $HOME\nB=p=q', { A: 'abc#def $HOME', B: 'p=q' }],
    ['comments and empty lines, also indented', '# a\n\n; b\n  # c\n \t\n  A=1\n#B=2 \\\nC=3', { A: '1' }],
    ['quotes', 'A="a b"\nB=\'x"y\'\nC="" \nD="x" y', { A: 'a b', B: 'x"y', C: '', D: 'xy' }],
    ['an apostrophe', 'A=it\'s $(id)\nB="it\'s"', { A: "it's $(id)", B: "it's" }],
    ['blanks around', ' A = 1 2 \nB=3\t', { A: '1 2', B: '3' }],
    ['the line ends of Windows', 'A=1\r\nB="2 3"\r\n\r\nC=4', { A: '1', B: '2 3', C: '4' }],
    [
      'a backslash',
      'A=a\\b\nB="a\\"b\\n"\nC=\'a\\b\'\nD=1\\\n2',
      { A: 'ab', B: 'a"b\\n', C: 'a\\b', D: '12' },
    ],
    ['lines in quotes', 'A="1\n2"\nB=3', { A: '1\n2', B: '3' }],
    ['what is no setting', 'word\nexport A=1\nB=2\nC', { B: '2' }],
  ])('read settings as systemd does: %s', (_what, settings, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'docs-agent-deploy-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'settings'), settings);
    writeFileSync(join(folder, 'runuser'), '#!/bin/sh\nexec env -0\n', { mode: 0o755 });
    const script = read('deploy/docs-agent.sh')
      .replaceAll('/etc/docs-agent/settings', join(folder, 'settings'))
      .replaceAll('/opt/docs-agent', folder);
    const output = execFileSync('/bin/sh', ['-c', script], { env: { PATH: `${folder}:/usr/bin:/bin` } });
    const variables = output.toString().split('\0');
    const ours = variables.filter((variable) => /^[A-D]=/.test(variable)).toSorted();
    expect(ours).toEqual(Object.entries(expected).map(([name, value]) => `${name}=${value}`));
  });

  test('pin every image and every action by its digest', () => {
    const dockerfiles = read('Dockerfile') + read('deploy/runner.Dockerfile');
    const images = [...dockerfiles.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    images.push(
      ...[...read('deploy/compose.yml').matchAll(/image: (postgres\S*)/g)].map(([, image]) => image),
    );
    const workflow = read('.github/workflows/ci.yml');
    images.push(...[...workflow.matchAll(/image: (\S+)/g)].map(([, image]) => image));
    const actions = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
    expect([images.length, actions.length].every((count) => count > 2)).toBe(true);
    expect(images.filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image ?? ''))).toEqual([]);
    expect(actions.filter((action) => !/@[0-9a-f]{40}$/.test(action ?? ''))).toEqual([]);
  });
});
