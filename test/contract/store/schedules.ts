import { describe, expect, test } from 'vitest';
import { type OpenStore, useStore } from './opened.ts';
import { NOW_MS } from './samples.ts';

const HOUR_MS = 3_600_000;
const key = { teamId: 'T1', name: 'weekly-review' };
const mondays = { cron: '0 9 * * 1', zone: 'Europe/Berlin' };

export function scheduleContract(open: OpenStore): void {
  describe('schedules', () => {
    const opened = useStore(open);
    const follow = (schedule: typeof mondays, nowMs: number, of = key) =>
      opened.run((tx) => tx.schedules.follow(of, schedule, nowMs));
    const serve = (untilMs: number) => opened.run((tx) => tx.schedules.serve(key, untilMs));
    const leaveAllBut = (...names: string[]) =>
      opened.run((tx) => tx.schedules.leaveAllBut(key.teamId, names));
    const servedUntilMs = (of = key, nowMs = NOW_MS) =>
      opened.run((tx) => tx.schedules.servedUntilMs(of, nowMs));

    test('begin when they are seen first; the same one goes on, a new one begins anew', async () => {
      expect(await servedUntilMs()).toBeNull();
      expect(await follow(mondays, NOW_MS)).toBe(NOW_MS);
      expect(await follow(mondays, NOW_MS + 1)).toBe(NOW_MS);
      expect(await follow({ ...mondays, zone: 'UTC' }, NOW_MS + 2)).toBe(NOW_MS + 2);
      expect(await follow(mondays, NOW_MS + 3)).toBe(NOW_MS + 3);
      expect(await servedUntilMs()).toBe(NOW_MS + 3);
    });

    test('that a clock that was ahead has served are served until now', async () => {
      await follow(mondays, NOW_MS + 24 * HOUR_MS);
      expect(await servedUntilMs(key, NOW_MS + 23 * HOUR_MS)).toBe(NOW_MS + 24 * HOUR_MS);
      expect(await servedUntilMs(key, NOW_MS)).toBe(NOW_MS);
      await serve(NOW_MS + 5);
      expect(await servedUntilMs(key, NOW_MS + 6)).toBe(NOW_MS + 5);
    });

    test('are of their workspace', async () => {
      await follow(mondays, NOW_MS);
      expect(await servedUntilMs({ ...key, teamId: 'T2' })).toBeNull();
      await opened.run((tx) => tx.schedules.leaveAllBut('T2', []));
      expect(await follow(mondays, NOW_MS + 1)).toBe(NOW_MS);
    });

    test('are served once, also by one whose clock is behind, or that took long', async () => {
      await follow(mondays, NOW_MS);
      await serve(NOW_MS + 20_000);
      await serve(NOW_MS + 10_000);
      expect(await servedUntilMs()).toBe(NOW_MS + 20_000);
      expect(await follow({ ...mondays, zone: 'UTC' }, NOW_MS + 5)).toBe(NOW_MS + 20_000);
    });

    test('that a wrong clock served for a time far ahead begin anew', async () => {
      await follow(mondays, NOW_MS);
      await serve(NOW_MS + 365 * 24 * HOUR_MS);
      expect(await follow(mondays, NOW_MS + HOUR_MS)).toBe(NOW_MS + HOUR_MS);
    });

    test('that have left the settings are still served by who has them, and begin anew when they return', async () => {
      const digest = { ...key, name: '(digest)' };
      await follow(mondays, NOW_MS);
      await follow(mondays, NOW_MS, digest);
      await leaveAllBut(digest.name);
      expect(await servedUntilMs()).toBe(NOW_MS);
      await serve(NOW_MS + 1);
      expect(await follow(mondays, NOW_MS + 2, digest)).toBe(NOW_MS);
      expect(await follow(mondays, NOW_MS + 2)).toBe(NOW_MS + 2);
      await leaveAllBut();
      expect(await follow(mondays, NOW_MS + 3)).toBe(NOW_MS + 3);
    });
  });
}
