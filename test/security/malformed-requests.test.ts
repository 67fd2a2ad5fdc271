import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StrictWorld, startStrictWorld } from '../e2e/support/strict-world.ts';
import { alice, general } from '../support/local-slack.ts';
import type { SignedSlack } from '../support/signed-slack.ts';
import { strictApp } from '../support/strict-slack/ids.ts';
import { signedSlackOf } from '../support/strict-slack/signed.ts';

const FORM = 'application/x-www-form-urlencoded';
/** Bolt would let Slack wait for three seconds. */
const AT_ONCE_MS = 2_500;

let world: StrictWorld;
let signed: SignedSlack;
beforeAll(async () => {
  world = await startStrictWorld({ mode: 'http' });
  signed = signedSlackOf(world);
});
afterAll(() => world[Symbol.asyncDispose]());

const place = { channel: general, channel_type: 'channel', ts: '1.1' };
const message = { type: 'message', user: alice, text: 'Hi', ...place };
const outer = { type: 'event_callback', event_id: 'Ev1', team_id: strictApp.teamId };
const press = {
  type: 'block_actions',
  user: { id: alice },
  trigger_id: '1',
  response_url: 'http://127.0.0.1:9/',
  channel: { id: general },
  container: {},
  actions: [{ type: 'button', action_id: 'start_another', value: '{}' }],
};
const view = { id: 'V1', type: 'modal', callback_id: 'compose', private_metadata: '', blocks: [] };
const submission = { type: 'view_submission', user: { id: alice }, view: { ...view, state: { values: {} } } };
const told = (more: object) => ({ ...outer, event: { ...message, ...more } });
const onMessage = { type: 'message', channel: general };
const chosen = { project: { project: { selected_option: { value: 1 } } } };
const form = (fields: Record<string, string>) => String(new URLSearchParams(fields));
const command = { command: '/docs-agent', text: 'x', user_id: alice, channel_id: general, trigger_id: '1' };

async function statusOf(contentType: string, body: string): Promise<number> {
  const startedAtMs = performance.now();
  const { status } = await signed.send(contentType, body);
  expect(performance.now() - startedAtMs).toBeLessThan(AT_ONCE_MS);
  return status;
}

test.each<[string, object]>([
  ['no event', outer],
  ['an event that is null', { ...outer, event: null }],
  ['an event without a type', { ...outer, event: {} }],
  ['a text that is an object', told({ text: { toString: 'x' } })],
  ['a channel that is a list', told({ channel: [general] })],
  ['a person with a NUL', told({ user: `${alice}\u0000` })],
  ['a person of great length', told({ user: 'U'.repeat(10_000) })],
  ['a time that is none', told({ ts: 'yesterday' })],
  ['a thread that is none', told({ thread_ts: 'here' })],
  ['a mention without a channel', { ...outer, event: { type: 'app_mention', user: alice, ts: '1.1' } }],
  ['an item that is a number', told({ item: 1 })],
  ['an edit at no time', told({ subtype: 'message_changed', message: { ...message, edited: { ts: '' } } })],
  ['a reaction at a message of no time', told({ type: 'reaction_added', reaction: 'memo', item: onMessage })],
  ['a home of nobody', { ...outer, event: { type: 'app_home_opened' } }],
  ['a team with a NUL', { ...outer, team_id: 'T\u0000', event: message }],
  ['a press by nobody', { ...press, user: null }],
  ['a press of nothing', { ...press, actions: [] }],
  ['a press with a value that is an object', { ...press, actions: [{ ...press.actions[0], value: {} }] }],
  ['a form without a view', { ...submission, view: null }],
  ['a form without values', { ...submission, view }],
  ['a form with a block that is null', { ...submission, view: { ...submission.view, blocks: [null] } }],
  ['a form with a choice that is a number', { ...submission, view: { ...view, state: { values: chosen } } }],
  ['an event that is a command, too', { ...press, command: '/docs-agent' }],
])('%s is refused at once, and is no error of the program', async (_what, body) => {
  expect(await statusOf(FORM, form({ payload: JSON.stringify(body) }))).toBe(400);
});

test.each<[string, string]>([
  ['twice the person', `${form(command)}&user_id=${alice}&response_url=x`],
  ['no person', form({ command: '/docs-agent', text: 'x', channel_id: general })],
  ['a person with a line break', form({ ...command, user_id: `${alice}\n`, response_url: 'x' })],
])('a command with %s is refused at once', async (_what, body) => {
  expect(await statusOf(FORM, body)).toBe(400);
});

test.each<[string, object]>([
  ['a kind that nobody knows', { type: 'constructor' }],
  ['a kind that is an object', { type: {} }],
  ['nothing', {}],
  ['a form that nobody knows', { ...submission, view: { ...submission.view, callback_id: 'other' } }],
])('%s is not found, at once', async (_what, body) => {
  expect(await statusOf(FORM, form({ payload: JSON.stringify(body) }))).toBe(404);
});

test('a button that nobody knows is answered: its part may be gone', async () => {
  const old = { ...press, actions: [{ type: 'button', action_id: '__proto__', action_ts: '1.1' }] };
  expect(await statusOf(FORM, form({ payload: JSON.stringify(old) }))).toBe(200);
});

test('a command that nobody knows is not found, at once', async () => {
  expect(await statusOf(FORM, form({ ...command, command: '/other', response_url: 'x' }))).toBe(404);
});

test.each(['constructor', '__proto__', 'toString', 'reaction_added'])(
  'an event of the type "%s" is taken, and means nothing',
  async (type) => {
    expect(await statusOf('application/json', JSON.stringify({ ...outer, event: { type } }))).toBe(200);
    const metrics = await (await fetch(`http://127.0.0.1:${world.env.PORT}/metrics`)).text();
    expect(metrics).not.toMatch(/inbound_requests_total\{kind="unknown"/);
  },
);

test('JSON of any depth is refused or taken, and harms nothing', async () => {
  const deep = '['.repeat(500_000) + ']'.repeat(500_000);
  expect(await statusOf('application/json', deep)).toBe(400);
  const body = `{"type":"event_callback","event_id":"Ev2","event":{"type":"x","more":${deep}}}`;
  expect(await statusOf('application/json', body)).toBe(200);
  const polluting =
    '{"type":"event_callback","event_id":"Ev3","event":{"type":"x"},"__proto__":{"isAdmin":true}}';
  expect(await statusOf('application/json', polluting)).toBe(200);
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

test.each(['null', '[]', '[{"type":"event_callback"}]', '"event_callback"', '42', '{"type":', ''])(
  '%j is no event, and refused at once, in a form, too',
  async (body) => {
    expect(await statusOf('application/json', body)).toBe(400);
    expect(await statusOf(FORM, form({ payload: body }))).toBe(400);
  },
);

test("Slack's question whether the address is right is answered, and five megabytes are not read", async () => {
  const challenge = '{"type":"url_verification","challenge":"x"}';
  expect(await signed.send('application/json', challenge)).toEqual({
    status: 200,
    body: '{"challenge":"x"}',
  });
  expect(await statusOf('application/json', `"${'x'.repeat(5 * 1024 * 1024)}"`)).toBe(413);
});

test('none of this was an error of the program, or reached the agent', async () => {
  await world.settled(2_000);
  expect(world.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  expect(world.prompts()).toEqual([]);
});
