import { describe, expect, test } from 'vitest';
import { agentFaults } from '../../faults/agent-faults.ts';
import type { Fault } from '../../support/agent-api/fault.ts';
import { above } from '../../support/is.ts';
import type { SlackMessage } from '../../support/local-slack.ts';
import { type Program, type ProgramOptions, startProgram } from '../../support/strict-slack/program.ts';

const HOUR_MS = 3_600_000;
const announces = ['idempotency'] as const;

/** The service has answered once, so that the program knows what it announces. */
async function startKnown(options: ProgramOptions = {}): Promise<Program> {
  const program = await startProgram({ announces, ...options });
  await program.working('Add the first page');
  return program;
}

const sent = ({ api }: Program, prompt: string) =>
  api.requests.filter((request) => request.prompt === prompt);
const jobsFor = ({ api }: Program, prompt: string) => api.jobs.filter(({ prompts }) => prompts[0] === prompt);
const posts = async ({ slack }: Program, { channel, ts }: SlackMessage) =>
  (await slack.control.thread(channel, ts)).map(({ text }) => text);
const receipt = ({ later, slack }: Program, message: SlackMessage, name: string) =>
  later(() => slack.control.reactions(message), [name], `the receipt ${name}`);
const calls = ({ later, api }: Program, operation: 'create' | 'message', count: number) =>
  later(
    () => api.counts[operation],
    (made) => made >= count,
    `${count} calls`,
  );

const unclear = agentFaults.filter(({ create }) => create === 'unknown');

describe('what is unclear is repeated with its key until it is known (E1)', () => {
  test.each(unclear)('$name', async ({ fault }) => {
    await using program = await startKnown({ settings: { AGENT_TIMEOUT: '2s' } });
    const { api } = program;
    api.failNext('create', fault, fault, { status: 429 }, { status: 401 });
    const card = await program.working();
    const creates = sent(program, 'Add a quickstart');
    expect(creates).toHaveLength(5);
    expect(new Set(creates.map(({ key }) => key)).size).toBe(1);
    expect(creates[0]?.key).toMatch(/./);
    expect(jobsFor(program, 'Add a quickstart')).toHaveLength(1);

    api.failNext('message', fault, fault);
    const message = await program.slack.control.reply(card, 'Shorter, please');
    await receipt(program, message, 'white_check_mark');
    const [job] = jobsFor(program, 'Add a quickstart');
    expect(job?.prompts).toEqual(['Add a quickstart', 'Shorter, please']);
    expect(new Set(sent(program, 'Shorter, please').map(({ key }) => key)).size).toBe(1);
    expect((await posts(program, card)).filter((text) => text.includes("Couldn't"))).toEqual([]);
  });
});

test('without the header, no key goes along, and a person decides (E1)', async () => {
  await using program = await startKnown({ announces: [] });
  program.api.failNext('create', 'reset_after');
  const card = await program.ask('Add a quickstart');
  await program.threadMessage(card, "Couldn't confirm the start");
  expect(program.api.requests.filter(({ key }) => key !== undefined)).toEqual([]);
});

const ofProxy = (status: number) => ({ status, isProxys: true }) as const;
const announcing = { status: 429, headers: { 'agent-capabilities': 'idempotency' } };
const maintenance = { status: 200, body: { message: 'Maintenance' }, isProxys: true } as const;

test.each<[what: string, gets: readonly Fault[], creates: readonly Fault[], isKnown?: true]>([
  ['before the first call after a start, the service is asked what it announces', [], ['reset_after']],
  ['a refusal announces it, too', [], [announcing, 'reset_after']],
  ...[429, 502, 503, 504].map((status): [string, Fault[], Fault[]] => [
    `a ${status} of a proxy does not say what the service announces`,
    Array(3).fill(ofProxy(status)),
    ['reset_after'],
  ]),
  [
    'what something in front of the API answers takes nothing back',
    // A read would announce it anew.
    Array(100).fill(ofProxy(503)),
    [maintenance, ofProxy(503), 'html', 'reset_after'],
    true,
  ],
])('%s: what is unclear is repeated with one key (E1)', async (_what, gets, creates, isKnown) => {
  await using program = isKnown ? await startKnown() : await startProgram({ announces });
  program.api.failNext('get', ...gets);
  program.api.failNext('create', ...creates);
  await program.working();
  const keys = sent(program, 'Add a quickstart').map(({ key }) => key);
  expect(keys).toEqual(Array(creates.length + 1).fill(expect.stringMatching(/./)));
  expect(new Set(keys).size).toBe(1);
  expect(jobsFor(program, 'Add a quickstart')).toHaveLength(1);
});

test('a service that does not answer what it announces gets no call: nothing is unclear (E1)', async () => {
  await using program = await startProgram({ announces });
  const { api, later } = program;
  api.failAll('reset_before');
  const card = await program.ask('Add a quickstart');
  await program.threadMessage(card, "Can't reach the agent");
  expect(sent(program, 'Add a quickstart')).toEqual([]);
  await later(() => api.counts.get, above(3), 'it to be asked again');
  expect(program.log.some((line) => line.includes('"agent_called"'))).toBe(true);
  api.failAll(null);
  await program.threadMessage(card, 'On it');
  expect(jobsFor(program, 'Add a quickstart')).toHaveLength(1);
});

test('a service that has no answer for an unknown job gets its calls, without a key (E1)', async () => {
  await using program = await startProgram({ announces: [] });
  const fault = { status: 500 };
  program.api.failNext('get', fault, fault, fault);
  await program.working();
  expect(sent(program, 'Add a quickstart').map(({ key }) => key)).toEqual([undefined]);
});

test('a restart goes on repeating, in the same words, and the card says that it waits (E1)', async () => {
  await using program = await startKnown();
  const { api } = program;
  api.failAll('reset_after');
  const card = await program.ask('Add a quickstart');
  await calls(program, 'create', 3);
  await program.shows(card, "can't reach the agent");
  await program.restart();
  api.failAll(null);
  await program.threadMessage(card, 'On it');
  expect(new Set(sent(program, 'Add a quickstart').map(({ key }) => key)).size).toBe(1);
  expect(jobsFor(program, 'Add a quickstart')).toHaveLength(1);
});

test('a key lives for a day: after that it is unknown, as without one (E1)', async () => {
  await using program = await startKnown();
  const { api, clock } = program;
  api.failAll({ status: 503 });
  const card = await program.ask('Add a quickstart');
  await calls(program, 'create', 3);
  clock.freeze(24 * HOUR_MS);
  await program.threadMessage(card, "Couldn't confirm the start");
  const made = sent(program, 'Add a quickstart').length;
  await clock.advance(600_000);
  expect(sent(program, 'Add a quickstart')).toHaveLength(made);
});

test('another body with the same key would be a mistake of ours: the agent’s words say so (E1)', async () => {
  await using program = await startKnown();
  program.api.failNext('create', 'reset_before', {
    status: 422,
    body: { error: 'Another body had this key' },
  });
  const card = await program.ask('Add a quickstart');
  await program.threadMessage(card, 'Another body had this key');
  expect(sent(program, 'Add a quickstart')).toHaveLength(2);
});

test('a service that no longer announces it gets nothing twice (E1)', async () => {
  await using program = await startKnown();
  const { api } = program;
  const id = api.jobs[0]?.id;
  const plain = { status: 200, body: { id, status: 'active' }, headers: { 'agent-capabilities': '' } };
  api.failNext('get', ...Array.from({ length: 100 }, () => plain));
  api.failNext('create', { status: 500 });
  const card = await program.ask('Add a quickstart');
  await program.threadMessage(card, "Couldn't confirm the start");
  expect(sent(program, 'Add a quickstart')).toHaveLength(1);
});
