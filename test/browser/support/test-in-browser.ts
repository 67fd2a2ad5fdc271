import { test as base, describe } from 'vitest';
import { findLocalSlack, whereToGetLocalSlack } from '../../../demo/local-slack/find.ts';
import { findChromium, whereToGetChromium } from './browser.ts';
import { startDemoInBrowser } from './demo-in-browser.ts';

/** `describe` for tests in the browser: skipped, saying what to install, on a machine that lacks something. */
export function describeInBrowser(name: string, tests: () => void): void {
  const missing = whatIsMissing();
  if (missing !== null) console.warn(`Skipped: ${name}. ${missing}`);
  describe.skipIf(missing !== null)(name, tests);
}

function whatIsMissing(): string | null {
  if (findLocalSlack(process.env) === null) return whereToGetLocalSlack;
  return findChromium(process.env) === null ? whereToGetChromium : null;
}

/** `test` with a page of its own, as Alice's, on a demo that the file shares. */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what is needed.
  .extend('demo', { scope: 'file' }, async ({}, { onCleanup }) => {
    const demo = await startDemoInBrowser();
    onCleanup(() => demo[Symbol.asyncDispose]());
    return demo;
  })
  .extend('slack', async ({ demo, task }, { onCleanup }) => {
    const slack = await demo.openSlack();
    onCleanup(async () => {
      if (task.result?.state === 'fail') console.error(`What "${task.name}" saw:\n${await slack.shown()}`);
      await slack[Symbol.asyncDispose]();
    });
    return slack;
  });
