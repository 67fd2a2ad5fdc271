import { randomUUID } from 'node:crypto';
import { localApp } from '../../../demo/local-slack/workspace.ts';
import type { Clock } from '../../../src/runtime/clock.ts';

/** How the app is known here. */
export const strictApp = { ...localApp, botId: 'B0DOCSAGENT' } as const;

/** `seconds.micros` of the clock, each later than the one before. */
export function createTimestamps(clock: Clock): () => string {
  let lastMicros = 0;
  return () => {
    lastMicros = Math.max(Math.floor(clock.now() * 1000), lastMicros + 1);
    const digits = String(lastMicros);
    return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
  };
}

export function newId(prefix: string): string {
  return prefix + randomUUID().replaceAll('-', '').slice(0, 16).toUpperCase();
}
