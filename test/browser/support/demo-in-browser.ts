import { readFileSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { findLocalSlack } from '../../../demo/local-slack/find.ts';
import { runDemo } from '../../support/child-program.ts';
import { withQuicker } from '../../support/quicker.ts';
import { createTempDir } from '../../support/temp-dir.ts';
import { findChromium, launchBrowser, whereToGetChromium } from './browser.ts';
import { createSlackPage, type SlackPage } from './slack-page.ts';

/** A step takes some milliseconds and a turn of the demo's agent six seconds; on a busy machine many times that. */
const PATIENCE_MS = 90_000;

/** The app's icon, as an address for pages. */
export const iconAddress = `data:image/svg+xml;base64,${readFileSync(
  new URL('../../../docs/images/icon.svg', import.meta.url),
).toString('base64')}`;
/** The page shows the first letter of each name, and buttons in the browser's own font. */
const AS_IN_SLACK = `
  .msg-avatar:has(+ .msg-body .badge-app) {
    background: url(${iconAddress}) center / cover !important;
    color: transparent;
  }
  button { font-family: inherit }`;

/** The demo as a program of its own, and its page in a browser. Both end with the object. */
export interface DemoInBrowser extends AsyncDisposable {
  /** The page of the local Slack, as its first visitor finds it: as Alice, in the channel `docs`. */
  openSlack(): Promise<SlackPage>;
}

export async function startDemoInBrowser(look: BrowserContextOptions = {}): Promise<DemoInBrowser> {
  const chromium = findChromium(process.env);
  if (chromium === null) throw new Error(whereToGetChromium);
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTempDir());
  const LOCAL_SLACK_BIN = findLocalSlack(process.env) ?? '';
  const demo = starting.use(runDemo({ LOCAL_SLACK_BIN, TMPDIR: folder.path }, [], withQuicker('looks')));
  // Its agents have ended with it.
  starting.defer(async () => {
    demo.kill('SIGINT');
    await demo.exit;
  });
  const browser = starting.use(await launchBrowser(chromium));
  const [, url = ''] = await demo.printed(/Open (http:\S+) and/);
  const resources = starting.move();
  return {
    openSlack: async () => {
      const context = await browser.newContext(look);
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      await showAsInSlack(page);
      await page.goto(url);
      return createSlackPage(page);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Pages that are opened there from now on show the icon at messages of the app. */
async function showAsInSlack(page: Page): Promise<void> {
  await page.addInitScript({
    content: `document.addEventListener('DOMContentLoaded', () => {
      const style = document.createElement('style');
      style.textContent = ${JSON.stringify(AS_IN_SLACK)};
      document.head.append(style);
    })`,
  });
}
