import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '../support/child-program.ts';
import { freePort } from '../support/free-port.ts';
import { waitFor } from '../support/wait-for.ts';
import {
  type ApiJob,
  AS_CALLER,
  isEditing,
  type RunnerWorld,
  runnerEnv,
  startRunnerWorld,
} from './support/world.ts';

const PLAN = 'plan';
const HELD = 'held';

/** A git that holds still before or after a command, once, until the test goes on; then it has failed. */
function holdGit(world: RunnerWorld, when: 'before' | 'after', command: string): string {
  const bin = join(world.root, 'bin');
  mkdirSync(bin);
  const hold = `rm ${bin}/${PLAN}; touch ${bin}/${HELD}; while [ -e ${bin}/${HELD} ]; do sleep 0.05; done; exit 1`;
  const script = `#!/bin/sh
real=$(PATH=\${PATH#*:} command -v git)
case "$*" in *"${command}"*) if [ -e ${bin}/${PLAN} ]; then
${when === 'after' ? '"$real" "$@"' : ':'}
${hold}
fi;; esac
exec "$real" "$@"
`;
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  writeFileSync(join(bin, PLAN), '');
  return bin;
}

test.concurrent.each([
  ['before', 'commit-tree'],
  ['before', 'update-ref --stdin'],
  ['after', 'update-ref --stdin'],
  ['before', 'push --porcelain'],
  ['after', 'push --porcelain'],
  ['before', 'the pull request'],
  ['after', 'the pull request'],
  ['while', 'the agent works'],
  ['while', 'the agent works in a later turn'],
  ['twice while', 'the agent works'],
] as const)('a runner that is killed %s %s: one commit, one branch, one pull request', async (when, what) => {
  await using world = await startRunnerWorld();
  await world.runner.stop();
  const port = await freePort();
  const isAtGit = !what.startsWith('the ') && (when === 'before' || when === 'after');
  const bin = isAtGit ? holdGit(world, when, what) : null;
  const env = {
    ...runnerEnv(world),
    PATH: bin === null ? process.env.PATH : `${bin}:${process.env.PATH}`,
    RUNNER_PORT: String(port),
  };
  const call = async (method: string, path: string, body?: object) => {
    const init = { method, headers: AS_CALLER, ...(body && { body: JSON.stringify(body) }) };
    return (await (await fetch(`http://127.0.0.1:${port}/v2/agent/docs/job${path}`, init)).json()) as ApiJob;
  };
  const rested = (id: string, isReached: (job: ApiJob) => boolean) =>
    waitFor(() => call('GET', `/${id}`), isReached, { what: 'the job' });
  const start = async () => {
    const program = runProgram(['runner'], env);
    await program.logged('runner_started');
    return program;
  };
  let program = await start();
  const atPull = what === 'the pull request' ? world.holdPull(when === 'after') : null;
  const isLater = what === 'the agent works in a later turn';
  const prompt = `write docs/a.md A\n${what.startsWith('the agent works') ? 'wait' : ''}`;
  const { id } = await call('POST', '', { prompt: isLater ? 'write docs/first.md F' : prompt });
  if (isLater) {
    await rested(id, ({ status }) => status !== 'active');
    await call('POST', `/${id}/message`, { prompt });
  }
  for (let kills = when === 'twice while' ? 2 : 1; kills > 0; kills -= 1) {
    if (bin !== null) await waitFor(() => existsSync(join(bin, HELD)), Boolean, { what: 'git' });
    else if (atPull !== null) await atPull;
    else await rested(id, isEditing('docs/a.md'));
    program.kill('SIGKILL');
    await program.exit;
    await program[Symbol.asyncDispose]();
    if (bin !== null) rmSync(join(bin, HELD));
    program = await start();
  }
  world.go();
  expect(await rested(id, ({ status }) => status !== 'active')).toMatchObject({
    status: 'completed',
    summary: 'Done.',
    prLink: world.pulls[0]?.html_url,
  });
  expect(world.pulls).toHaveLength(1);
  const branches = world
    .git('for-each-ref', '--format=%(refname:short)', 'refs/heads/docs-agent')
    .split('\n');
  expect(branches).toHaveLength(1);
  expect(world.git('rev-list', '--count', `main..${branches[0]}`)).toBe(isLater ? '2' : '1');
  // The session knew edits that are gone.
  if (isLater) expect(world.lastPrompt()).toContain('Request 1: write docs/first.md F');
  program.kill('SIGTERM');
  expect(await program.exit).toEqual({ code: 0, signal: null });
  await program[Symbol.asyncDispose]();
});
