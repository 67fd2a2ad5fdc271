import { expect, test } from 'vitest';
import type { Fault } from '../../support/agent-api/fault.ts';
import { above } from '../../support/is.ts';
import type { ProgramOptions } from '../../support/strict-slack/program.ts';
import { type StrictWorld, startStrictWorld } from '../support/strict-world.ts';

const HOUR_MS = 3_600_000;
const announces = ['idempotency'] as const;

/** The service has answered once, so that the program knows what it announces. */
async function startKnown(options: ProgramOptions = {}): Promise<StrictWorld> {
  const world = await startStrictWorld({ announces, ...options });
  await world.working('Add the first page');
  return world;
}

/** The keys of the calls with this prompt. */
const keys = ({ api }: StrictWorld, prompt = 'Add a quickstart') =>
  api.requests.filter((request) => request.prompt === prompt).map(({ key }) => key);
const jobsFor = (world: StrictWorld, prompt = 'Add a quickstart') =>
  world.api.jobs.filter(({ prompts }) => prompts[0] === prompt);
function expectOneKey(all: readonly (string | undefined)[], count = all.length): void {
  expect(all).toEqual(Array(count).fill(expect.stringMatching(/./)));
  expect(new Set(all).size).toBe(1);
}

const unclear: readonly Fault[] = [
  ...([{ status: 500 }, { status: 503, headers: { 'retry-after': '30' } }] as const),
  ...(['reset_before', 'reset_after', 'hang', 'half_body', 'html'] as const),
];

test('what is unclear is repeated with its key until it is known, whatever made it unclear (E1)', async () => {
  await using world = await startKnown({ settings: { AGENT_TIMEOUT: '2s' } });
  const { api } = world;
  for (const [nth, fault] of unclear.entries()) {
    const name = JSON.stringify(fault);
    const prompt = `Explain fault ${nth}`;
    api.failNext('create', fault, fault, { status: 429 }, { status: 401 });
    const card = await world.working(prompt);
    expectOneKey(keys(world, prompt), 5);
    expect(jobsFor(world, prompt), name).toHaveLength(1);

    const reply = `Shorter, without ${nth}`;
    api.failNext('message', fault, fault);
    const message = await world.slack.control.reply(card, reply);
    await world.later(() => world.slack.control.reactions(message), ['white_check_mark'], name);
    expect(jobsFor(world, prompt)[0]?.prompts).toEqual([prompt, reply]);
    expectOneKey(keys(world, reply));
    expect((await world.thread(card)).filter(({ text }) => text.includes("Couldn't"))).toEqual([]);
    api.finish(-1, { status: 'archived' });
  }
});

const ofProxy = (status: number) => ({ status, isProxys: true }) as const;
const announcing = { status: 429, headers: { 'agent-capabilities': 'idempotency' } };
const maintenance = { status: 200, body: { message: 'Maintenance' }, isProxys: true } as const;

test.each<[what: string, gets: readonly Fault[], creates: readonly Fault[], isKnown?: true]>([
  ['before the first call after a start, the service is asked what it announces', [], ['reset_after']],
  ['a refusal announces it, too', [], [announcing, 'reset_after']],
  [
    'errors of a proxy do not say what the service announces',
    [429, 502, 503, 504].map(ofProxy),
    ['reset_after'],
  ],
  [
    'what something in front of the API answers takes nothing back',
    // A read would announce it again.
    Array(100).fill(ofProxy(503)),
    [maintenance, ofProxy(503), 'html', 'reset_after'],
    true,
  ],
])('%s: what is unclear is repeated with one key (E1)', async (_what, gets, creates, isKnown) => {
  await using world = isKnown ? await startKnown() : await startStrictWorld({ announces });
  world.api.failNext('get', ...gets);
  world.api.failNext('create', ...creates);
  await world.working();
  expectOneKey(keys(world), creates.length + 1);
  expect(jobsFor(world)).toHaveLength(1);
});

test('a service that does not answer what it announces gets no call: nothing is unclear (E1)', async () => {
  await using world = await startStrictWorld({ announces });
  const { api } = world;
  api.failAll('reset_before');
  const card = await world.ask('Add a quickstart');
  await world.threadMessage(card, "Can't reach the agent");
  expect(keys(world)).toEqual([]);
  await world.later(() => api.counts.get, above(3), 'it to be asked again');
  expect(world.log.some((line) => line.includes('"agent_called"'))).toBe(true);
  api.failAll(null);
  await world.threadMessage(card, 'On it');
  expect(jobsFor(world)).toHaveLength(1);
});

test('without the header, no key goes along, and a person decides; so where it is no longer announced (E1)', async () => {
  await using world = await startStrictWorld({ announces: [] });
  const fault = { status: 500 };
  // It has no answer for an unknown job.
  world.api.failNext('get', fault, fault, fault);
  await world.working('Add the first page');
  world.api.failNext('create', 'reset_after');
  await world.threadMessage(await world.ask('Add a quickstart'), "Couldn't confirm the start");
  expect(world.api.requests.filter(({ key }) => key !== undefined)).toEqual([]);

  await using former = await startKnown();
  const plain = { status: 200, body: { id: former.api.jobs[0]?.id, status: 'active' } };
  const withdrawn = { ...plain, headers: { 'agent-capabilities': '' } };
  former.api.failNext('get', ...Array<Fault>(100).fill(withdrawn));
  former.api.failNext('create', fault);
  await former.threadMessage(await former.ask('Add a quickstart'), "Couldn't confirm the start");
  expect(keys(former)).toHaveLength(1);
});

test('a restart goes on repeating, and the card says that it waits; a key lives for a day, then it is unknown (E1)', async () => {
  await using world = await startKnown();
  const { api, clock } = world;
  const repeated = (prompt: string) => world.later(() => keys(world, prompt).length, above(1), 'two calls');
  api.failAll('reset_after');
  const card = await world.ask('Add a quickstart');
  await repeated('Add a quickstart');
  await world.shows(card, "can't reach the agent");
  await world.restart();
  api.failAll(null);
  await world.threadMessage(card, 'On it');
  expectOneKey(keys(world));
  expect(jobsFor(world)).toHaveLength(1);

  api.failAll({ status: 503 });
  const other = await world.ask('Add a glossary');
  await repeated('Add a glossary');
  clock.freeze(24 * HOUR_MS);
  await world.threadMessage(other, "Couldn't confirm the start");
  const made = keys(world, 'Add a glossary').length;
  await clock.advance(600_000);
  expect(keys(world, 'Add a glossary')).toHaveLength(made);
});
