import { WebClient } from '@slack/web-api';
import type { Page } from 'playwright-core';
import { findLocalSlack, whereToGetLocalSlack } from '../../../demo/local-slack/find.ts';
import { startRenderingProxy } from '../../../demo/local-slack/rendering-proxy.ts';
import { demoWorkspace, localApp } from '../../../demo/local-slack/workspace.ts';
import { startLocalSlack } from '../../../demo/local-slack.ts';
import type { SlackMessage } from '../../../src/slack/views/message.ts';

export interface Picture {
  readonly caption: string;
  readonly png: Buffer;
}

const COLUMNS_MAX = 3;
const COLUMN_WIDTH = 517;
const MARGIN = 24;

const [channel] = demoWorkspace.channels;
/** The page joins the lines of plain text, and puts a section's button below its text. */
const AS_IN_SLACK =
  '.bk-section { display: flex; justify-content: space-between; gap: 12px; white-space: pre-wrap }';

/** Posts each message in a local Slack, and takes a picture of each, with its name as the caption. */
export async function picturesOf(
  page: Page,
  states: Readonly<Record<string, SlackMessage>>,
): Promise<Picture[]> {
  const binary = findLocalSlack(process.env);
  if (binary === null) throw new Error(whereToGetLocalSlack);
  await using resources = new AsyncDisposableStack();
  const slack = await startLocalSlack({ binary, port: 0, workspace: demoWorkspace });
  resources.defer(() => slack.stop());
  const proxy = await startRenderingProxy(slack.apiUrl);
  resources.defer(() => proxy.close());
  const client = new WebClient(localApp.botToken, { slackApiUrl: proxy.apiUrl });
  for (const message of Object.values(states))
    await client.chat.postMessage({ channel: channel.id, ...message });
  await page.goto(slack.url);
  const shown = page.locator('.messages .msg');
  const captions = Object.keys(states);
  await shown.nth(captions.length - 1).waitFor();
  await page.addStyleTag({ content: AS_IN_SLACK });
  const pictures: Picture[] = [];
  // One after the other: each scrolls the page.
  for (const [at, caption] of captions.entries())
    pictures.push({ caption, png: await shown.nth(at).screenshot() });
  return pictures;
}

/**
 * Makes one picture of all, in up to three columns, each under its caption.
 * @param page says how sharp
 * @param title empty: none
 */
export async function drawPictures(
  page: Page,
  title: string,
  pictures: readonly Picture[],
  path: string,
): Promise<void> {
  const sheet = await page.context().newPage();
  // Four are two by two, not three and one.
  const columns = Math.ceil(pictures.length / Math.ceil(pictures.length / COLUMNS_MAX));
  await sheet.setViewportSize({ width: columns * COLUMN_WIDTH + 2 * MARGIN, height: 100 });
  await sheet.setContent(`<style>
    body { font: 14px Lato, sans-serif; margin: ${MARGIN}px; background: #fff; color: #1d1c1d }
    section { columns: ${columns}; column-gap: 16px }
    figure { margin: 0 0 16px; break-inside: avoid; border: 1px solid #ddd; border-radius: 8px; overflow: hidden }
    figcaption { padding: 4px 12px; background: #f4f4f4; color: #616061; font-size: 12px }
    img { width: 100%; display: block }
  </style>${title && `<h2>${title}</h2>`}<section>${pictures.map(figureOf).join('')}</section>`);
  await sheet.screenshot({ path, fullPage: true });
  await sheet.close();
}

function figureOf({ caption, png }: Picture): string {
  return `<figure><figcaption>${caption}</figcaption><img src="data:image/png;base64,${png.toString('base64')}"></figure>`;
}
