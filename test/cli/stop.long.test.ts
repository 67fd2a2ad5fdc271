import { describe, expect, test } from 'vitest';
import { localApp } from '../../demo/local-slack/workspace.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { startAgentApi } from '../support/agent-api/agent-api.ts';
import { runProgram } from '../support/child-program.ts';
import { createSignedSlack } from '../support/signed-slack.ts';
import { createTempDir } from '../support/temp-dir.ts';
import { waitFor } from '../support/wait-for.ts';
import { SIGNING_SECRET, settings, socketSettings } from './support/settings.ts';
import { startTinySlack } from './support/tiny-slack.ts';

/** Null: there is no answer. */
async function statusOf(url: string): Promise<number | null> {
  return fetch(url).then(
    ({ status }) => status,
    () => null,
  );
}

describe('a stop', () => {
  test.concurrent('may be asked for while Slack keeps the start waiting', async () => {
    await using folder = await createTempDir();
    await using slack = await startTinySlack({ 'apps.connections.open': 'hang' });
    await using program = runProgram(['start'], {
      ...socketSettings,
      SLACK_API_URL: slack.apiUrl,
      DATA_DIR: folder.path,
    });
    const hangs = () => slack.calls.includes('apps.connections.open');
    await waitFor(hangs, Boolean, { what: 'the program to ask for a connection' });
    program.kill('SIGINT');
    expect(await program.exit).toEqual({ code: 0, signal: null });
    expect(program.log().map(({ event }) => event)).not.toContain('started');
  });

  test.concurrent('waits for what is in hand, and a second signal cuts that short', async () => {
    await using folder = await createTempDir();
    await using slack = await startTinySlack();
    const projectId = 'acme-docs';
    const apiKey = settings.AGENT_API_KEY ?? '';
    const script = () => ({ workMs: 0, ending: 'manual' }) as const;
    const api = await startAgentApi({ apiKey, projectId, clock: systemClock, script });
    await using _closed = { [Symbol.asyncDispose]: () => api.close() };
    api.failNext('create', 'hang');
    await using program = runProgram(['start'], {
      ...settings,
      SLACK_API_URL: slack.apiUrl,
      AGENT_BASE_URL: api.baseUrl,
      DATA_DIR: folder.path,
    });
    const { port } = await program.logged('started');
    const url = `http://127.0.0.1:${port}`;
    const people = createSignedSlack({
      url: `${url}/slack/events`,
      signingSecret: SIGNING_SECRET,
      teamId: localApp.teamId,
    });
    await people.sendCommand({ channelId: 'C0DOCS', userId: 'U0ALICE', text: 'Add a quickstart' });
    await waitFor(() => api.counts.create, 1, { what: 'the create call to be under way' });

    program.kill('SIGTERM');
    await waitFor(() => statusOf(`${url}/readyz`), 503, { what: 'the stop to begin' });
    expect(program.log().map(({ event }) => event)).not.toContain('stopped');
    program.kill('SIGINT');
    expect(await program.exit).toEqual({ code: 130, signal: null });
    expect(program.log().at(-1)).toMatchObject({ event: 'stop_cut_short', reason: 'SIGINT' });
  });
});

test.concurrent('a stop in HTTP mode is not ready first, and still takes requests until a balancer has noticed', async () => {
  await using folder = await createTempDir();
  await using slack = await startTinySlack();
  await using program = runProgram(['start'], {
    ...settings,
    SLACK_API_URL: slack.apiUrl,
    DATA_DIR: folder.path,
  });
  const { port } = await program.logged('started');
  const url = `http://127.0.0.1:${port}`;
  const signed = { url: `${url}/slack/events`, signingSecret: SIGNING_SECRET, teamId: localApp.teamId };
  program.kill('SIGTERM');
  const readyStatus = () => statusOf(`${url}/readyz`);
  await waitFor(readyStatus, 503, { what: 'the program not to be ready any more' });
  const command = { channelId: 'C0DOCS', userId: 'U0ALICE', text: 'help' };
  expect(await createSignedSlack(signed).sendCommand(command)).toMatchObject({ status: 200 });
  expect(await program.exit).toEqual({ code: 0, signal: null });
  expect(await readyStatus()).toBeNull();
});

test.concurrent('a rejection that nobody handles is logged, and the program goes on', async () => {
  await using folder = await createTempDir();
  await using slack = await startTinySlack();
  const rejectOnSignal = `process.on('SIGUSR2', () => { Promise.reject(new Error('out of nowhere')); })`;
  await using program = runProgram(['start'], {
    ...settings,
    SLACK_API_URL: slack.apiUrl,
    DATA_DIR: folder.path,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(rejectOnSignal)}`,
  });
  const { port } = await program.logged('started');
  program.kill('SIGUSR2');
  expect(await program.logged('unhandled_rejection')).toMatchObject({
    level: 'error',
    error: { message: 'out of nowhere' },
  });
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
});
