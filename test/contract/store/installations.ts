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
  installedAtMs: NOW_MS,
  token: { keyId: 'k1', botToken: 'sealed-1' },
};

export function installationContract(open: OpenStore): void {
  describe('installations', () => {
    const opened = useStore(open);
    const get = (id = 'T1') => opened.run((tx) => tx.installations.get(id));
    const put = (over: Partial<typeof facts> = {}) =>
      opened.run((tx) => tx.installations.put({ ...facts, ...over }));
    const next = { keyId: 'k1', botToken: 'sealed-2' };
    const remove = (token = facts.token) => opened.run((tx) => tx.installations.remove({ id: 'T1', token }));
    test('are read as they were put, each by its id, and all in the order of their ids', async () => {
      await put({ id: 'T2' });
      await put();
      expect(await get()).toEqual(facts);
      expect(await get('T3')).toBeNull();
      const all = await opened.run((tx) => tx.installations.all());
      expect(all.map(({ id }) => id)).toEqual(['T1', 'T2']);
    });

    test('a later installation takes the place of the one before, and no other is removed for it', async () => {
      await put();
      await put({ botId: 'B2', token: next });
      expect(await get()).toMatchObject({ botId: 'B2', token: next });
      expect(await remove()).toBe(false);
      expect(await remove(next)).toBe(true);
      expect(await get()).toBeNull();
    });

    test('a repeated uninstall event of an earlier installation does not remove the next one', async () => {
      await put();
      await remove();
      await put({ installedAtMs: NOW_MS + 60_000, token: next });
      expect(await remove()).toBe(false);
    });

    test('a token is put under another key, unless it has changed meanwhile', async () => {
      await put();
      const resealed = { keyId: 'k2', botToken: 'sealed-3' };
      const reseal = () => opened.run((tx) => tx.installations.reseal(facts, resealed));
      expect(await reseal()).toBe(true);
      expect(await get()).toMatchObject({ token: resealed });
      await put({ token: next });
      expect(await reseal()).toBe(false);
      expect(await get()).toMatchObject({ token: next });
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
