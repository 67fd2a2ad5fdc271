import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { botScopes } from '../../../src/slack/protocol/scopes.ts';
import { alice, general } from '../../support/local-slack.ts';
import {
  acme,
  acmeProject,
  beta,
  other,
  startTeamsProgram,
  type TeamsProgram,
} from '../../support/slack-teams/program.ts';

let program: TeamsProgram;
beforeEach(async () => {
  program = await startTeamsProgram({ installed: [] });
});
afterEach(() => program[Symbol.asyncDispose]());

const page = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${program.services[0]?.port}${path}`, { headers, redirect: 'manual' });
const begin = async () => {
  const first = await page('/slack/install');
  const cookie = first.headers.get('set-cookie') ?? '';
  const address = new URL(first.headers.get('location') ?? '');
  return { cookie: cookie.split(';')[0] ?? '', wholeCookie: cookie, address, first };
};
const back = (query: Record<string, string>, cookie: string) =>
  page(`/slack/oauth_redirect?${new URLSearchParams(query)}`, { cookie });

describe('the pages to install the app', () => {
  test('ask for the scopes of the manifest and no others, and set a cookie that only they read (A2)', async () => {
    const { address, wholeCookie, first } = await begin();
    expect(address.searchParams.get('client_id')).toBe('12.34');
    expect(address.searchParams.get('user_scope')).toBeNull();
    expect(address.searchParams.get('scope')?.split(',')).toEqual(
      expect.arrayContaining(['commands', 'chat:write', 'users:read']),
    );
    expect(wholeCookie).toMatch(/^__Host-[a-z-]+=[^;]+;/);
    for (const attribute of ['Secure', 'HttpOnly', 'SameSite=Lax', 'Path=/']) {
      expect(wholeCookie.split('; ')).toContain(attribute);
    }
    expect(wholeCookie).not.toContain('Domain');
    expect(first.headers.get('cache-control')).toBe('no-store');
  });

  test('store nothing if Slack grants less than the program cannot work without, and say what is missing (A4)', async () => {
    const { control } = program.slack.team(acme);
    const all = botScopes.map(({ name }) => name);
    control.grantScopes(all.filter((name) => name !== 'chat:write'));
    const refused = await program.install(acme);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toMatch(
      /was not installed[\s\S]*<code>chat:write<\/code>: nothing is posted[\s\S]*OAuth &#38; Permissions/,
    );
    await program.ask(acme, 'Fix the typos');
    expect(program.prompts(acmeProject)).toEqual([]);
    control.grantScopes(all.filter((name) => name !== 'files:read'));
    expect((await program.install(acme)).status).toBe(200);
    const warnings = () =>
      program.log.filter((line) => /"level":"warn".*"scope_missing".*"files:read"/.test(line));
    expect(warnings()).toHaveLength(1);
    await program.restart();
    expect(warnings()).toHaveLength(2);
  });

  test('take nothing back that was begun in another browser or at a page of Slack, is forged, or was not agreed to (A2)', async () => {
    const { cookie, address } = await begin();
    const state = address.searchParams.get('state') ?? '';
    const code = program.slack.tokens.agree(acme);
    const mine = await begin();
    for (const [query, sentCookie] of [
      [{ code, state }, ''],
      [{ code, state }, mine.cookie],
      [{ code, state: `${state}x` }, `${cookie}x`],
    ] as const) {
      const answer = await back(query, sentCookie);
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain('another browser');
    }
    for (const query of [{ code }, { code, state: '' }]) {
      const answer = await back(query, cookie);
      expect(answer.status).toBe(400);
      expect(await answer.text()).toMatch(
        /started on a Slack page[\s\S]*href="\/slack\/install">Start over</,
      );
    }
    const cancelled = await back({ error: 'access_denied', state }, cookie);
    expect(await cancelled.text()).toContain("didn't agree");
    expect(program.slack.calls('oauth.v2.access')).toEqual([]);
  });

  test('take each state once, also with another code, and none that is older than ten minutes (A2)', async () => {
    const { cookie, address } = await begin();
    const state = address.searchParams.get('state') ?? '';
    const once = await back({ code: program.slack.tokens.agree(acme), state }, cookie);
    expect(once.status).toBe(200);
    expect(once.headers.get('set-cookie')).toMatch(/^__Host-[a-z-]+=;.*Max-Age=0/);
    const again = await back({ code: program.slack.tokens.agree(beta), state }, cookie);
    expect(again.status).toBe(400);
    expect(program.slack.calls('oauth.v2.access')).toHaveLength(1);
    const old = await begin();
    const oldState = old.address.searchParams.get('state') ?? '';
    await program.clock.advance(11 * 60_000);
    const late = await back({ code: program.slack.tokens.agree(beta), state: oldState }, old.cookie);
    expect(late.status).toBe(400);
  });

  test('are no way for strangers to write errors into the log, or to get an answer of the kind 500 (A2)', async () => {
    const { cookie, address } = await begin();
    const state = address.searchParams.get('state') ?? '';
    const attempts: [Record<string, string>, string][] = [
      [{}, ''],
      [{}, cookie],
      [{ state }, cookie],
      [{ code: 'code-x', state: 'x' }, '__Host-docs-agent-install=x'],
      [{ code: 'code-x', state }, cookie.replace(/=.*/, '=%zz%')],
      [{ error: '<b>hello</b>', state }, cookie],
      [{ code: 'code-x', state }, cookie],
    ];
    for (const [query, sent] of attempts) {
      const answer = await back(query, sent);
      expect(answer.status, JSON.stringify(query)).toBe(400);
      expect(await answer.text()).not.toContain('hello');
    }
    expect(program.log.filter((line) => /"level":"(error|warn)"/.test(line))).toEqual([]);
    expect(program.log.join()).toContain('install_refused');
  });

  test('say only that it failed when Slack does not take the code, cannot be reached or gives a token that expires, and show no secret (A2)', async () => {
    for (const fate of ['refuse', 'lost', 'expires'] as const) {
      program.slack.onExchange(() => fate);
      const answer = await program.install(acme);
      const html = await answer.text();
      expect(answer.status).toBe(500);
      expect(html).toContain('was not installed');
      expect(html).toContain('/slack/install');
      expect(html).not.toMatch(/code-|xoxb|client-secret|service_unavailable/);
    }
    expect(program.log.join()).toContain('token rotation is on');
    expect(program.log.join()).not.toMatch(/code-\d|xoxb-|client-secret|state-secret/);
  });
});

test('a workspace that is not installed, or not in the file, reads so wherever it speaks to the program, and nothing is stored; it works once it is in the file (A2)', async () => {
  const { control } = program.slack.team(other);
  const mention = () =>
    control.message({ channel: general, user: alice, text: '<@U0DOCSAGENT> Fix the typos' });
  expect(await program.ask(other, 'Fix the typos')).toContain("isn't installed");
  await mention();
  await program.clock.advance(60_000);
  expect(program.slack.calls()).toEqual([]);

  const page = await (await program.install(other)).text();
  expect(page).toContain('One step is left');
  expect(page).toContain(other);
  const ephemerals = async (channel: string) =>
    (await control.messages(channel)).filter(({ text }) => text.includes("isn't set up")).length;
  await mention();
  expect(await ephemerals(general)).toBe(1);
  await control.message({ channel: alice, user: alice, text: 'Fix the typos' });
  expect(await ephemerals(alice)).toBe(1);
  expect(await program.ask(other, 'Fix the typos')).toContain("isn't set up for this workspace");
  expect(await program.ask(other, 'list')).toContain(other);
  await control.openHome(alice);
  expect(JSON.stringify(control.home(alice))).toContain("isn't set up");
  await program.clock.advance(60_000);
  expect(program.prompts(acmeProject)).toEqual([]);
  expect(program.slack.calls('chat.postMessage')).toEqual([]);

  await program.restart(
    {},
    `
projects: [{ id: ${acmeProject}, name: docs, api_key_env: ACME_KEY }]
workspaces: { ${acme}: { projects: [docs] }, ${other}: { projects: [docs] } }
`,
  );
  const installed = await (await program.install(acme)).text();
  expect(installed).toContain('docs-agent is installed');
  expect(installed).toContain('/docs-agent help');
  for (const team of [acme, other]) {
    await program.ask(team, 'Fix the typos');
    await program.card(team, 'Fix the typos');
  }
});
