import { describe, expect, test } from 'vitest';
import { type OpenStore, useStore } from './opened.ts';
import { NOW_MS } from './samples.ts';

const facts = {
  id: 'T1',
  isOrganisation: false,
  enterpriseId: null,
  botUserId: 'U0BOT',
  botId: 'B0BOT',
  workspaceUrl: 'https://acme.slack.com/',
  scopes: ['commands', 'chat:write'],
  installerId: 'U1',
  installedAtMs: NOW_MS,
};
const tokens = { keyId: 'k1', botToken: 'sealed-1', refreshToken: 'sealed-2', expiresAtMs: NOW_MS + 1 };
const others = { keyId: 'k2', botToken: 'sealed-3', refreshToken: null, expiresAtMs: null };

export function installationContract(open: OpenStore): void {
  describe('installations', () => {
    const opened = useStore(open);
    const get = (id = 'T1') => opened.run((tx) => tx.installations.get(id));
    const put = (over: Partial<typeof facts> = {}) =>
      opened.run((tx) => tx.installations.put({ ...facts, ...over }, tokens));
    const revision = async () => (await get())?.revision ?? 0;
    const start = async (token: string, nowMs = NOW_MS, at?: number) => {
      const known = at ?? (await revision());
      return opened.run((tx) =>
        tx.installations.startRenewal({ id: 'T1', token }, known, nowMs, nowMs + 1_000),
      );
    };
    const end = (token: string, result: typeof others | { readonly problem: string } = others) =>
      opened.run((tx) => tx.installations.endRenewal({ id: 'T1', token }, result));

    test('are read as they were put, each by its id, and all in the order of their ids', async () => {
      await put({ id: 'T2' });
      await put();
      expect(await get()).toEqual({
        ...facts,
        tokens,
        revision: NOW_MS,
        renewingUntilMs: null,
        renewalProblem: null,
      });
      expect(await get('T3')).toBeNull();
      const all = await opened.run((tx) => tx.installations.all());
      expect(all.map(({ id }) => id)).toEqual(['T1', 'T2']);
    });

    test('a later installation takes the place of the one before, and no other is removed for it', async () => {
      await put();
      await put({ installerId: 'U2' });
      expect(await get()).toMatchObject({ installerId: 'U2', revision: NOW_MS + 1 });
      expect(await opened.run((tx) => tx.installations.remove('T1', NOW_MS))).toBe(false);
      expect(await opened.run((tx) => tx.installations.remove('T1', NOW_MS + 1))).toBe(true);
      expect(await get()).toBeNull();
    });

    test('a repeated uninstall event of an earlier installation does not remove the next one', async () => {
      await put();
      const before = await revision();
      await opened.run((tx) => tx.installations.remove('T1', before));
      await put({ installedAtMs: NOW_MS + 60_000 });
      expect(await opened.run((tx) => tx.installations.remove('T1', before))).toBe(false);
      expect(await start('a', NOW_MS, before)).toBe(false);
    });

    test('one renews the token at a time, and after a while another may', async () => {
      await put();
      expect(await start('a')).toBe(true);
      expect(await start('b')).toBe(false);
      expect(await start('b', NOW_MS + 1_000)).toBe(true);
      expect(await end('a')).toBe(false);
      expect(await end('b')).toBe(true);
      expect(await get()).toMatchObject({ tokens: others, renewingUntilMs: null });
    });

    test('an outdated token cannot be renewed', async () => {
      await put();
      await start('a');
      await end('a');
      expect(await start('b', NOW_MS + 5_000, 1)).toBe(false);
    });

    test('a new installation ends a renewal that is under way, and forgets a refused one', async () => {
      await put();
      await start('a');
      await put();
      expect(await end('a')).toBe(false);
      await start('b');
      expect(await end('b', { problem: 'invalid_refresh_token' })).toBe(true);
      expect(await get()).toMatchObject({ tokens, renewalProblem: 'invalid_refresh_token' });
      await put();
      expect(await get()).toMatchObject({ renewalProblem: null });
    });

    test('tokens are put under another key, unless they have changed meanwhile; a renewal goes on', async () => {
      await put();
      const before = await revision();
      await start('a');
      const reseal = (at: number) =>
        opened.run((tx) => tx.installations.reseal('T1', at, { ...tokens, keyId: 'k2' }));
      expect(await reseal(before)).toBe(false);
      expect(await reseal(await revision())).toBe(true);
      expect((await get())?.tokens.keyId).toBe('k2');
      expect(await end('a')).toBe(true);
    });

    test('it is remembered which organisation serves a workspace', async () => {
      const organisation = () => opened.run((tx) => tx.installations.organisationOf('T1'));
      expect(await organisation()).toBeNull();
      for (const id of ['E1', 'E2'])
        await opened.run((tx) => tx.installations.rememberOrganisation('T1', id));
      expect(await organisation()).toBe('E2');
    });
  });
}
