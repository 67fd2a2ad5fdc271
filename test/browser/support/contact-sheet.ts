import { WebClient } from '@slack/web-api';
import type { Page } from 'playwright-core';
import { findLocalSlack, whereToGetLocalSlack } from '../../../demo/local-slack/find.ts';
import { startRenderingProxy } from '../../../demo/local-slack/rendering-proxy.ts';
import { demoWorkspace, localApp } from '../../../demo/local-slack/workspace.ts';
import { startLocalSlack } from '../../../demo/local-slack.ts';
import type { SlackMessage } from '../../../src/slack/views/parts/message.ts';
import { pageOfPictures } from './page-of-pictures.ts';

/** What people read in related situations, by a name for each. */
export interface StateGroup {
  readonly title: string;
  readonly states: Readonly<Record<string, SlackMessage>>;
}

const [channel] = demoWorkspace.channels;

/** Posts each message in a local Slack, and puts the pictures of all of them on one page. */
export async function drawContactSheet(
  page: Page,
  groups: readonly StateGroup[],
  path: string,
): Promise<void> {
  const binary = findLocalSlack(process.env);
  if (binary === null) throw new Error(whereToGetLocalSlack);
  await using resources = new AsyncDisposableStack();
  const slack = await startLocalSlack({ binary, port: 0, workspace: demoWorkspace });
  resources.defer(() => slack.stop());
  const proxy = await startRenderingProxy(slack.apiUrl);
  resources.defer(() => proxy.close());
  const client = new WebClient(localApp.botToken, { slackApiUrl: proxy.apiUrl });
  const all = groups.flatMap(({ states }) => Object.values(states));
  for (const message of all) await client.chat.postMessage({ channel: channel.id, ...message });
  await page.goto(slack.url);
  const shown = page.locator('.messages .msg');
  await shown.nth(all.length - 1).waitFor();
  const pngs = await Promise.all((await shown.all()).map((message) => message.screenshot()));
  const pictured = groups.map(({ title, states }) => ({
    title,
    pictures: Object.keys(states).map((caption) => ({ caption, png: pngs.shift() ?? Buffer.alloc(0) })),
  }));
  await page.setViewportSize({ width: 1600, height: 100 });
  await page.setContent(pageOfPictures(pictured));
  await page.screenshot({ path, fullPage: true });
}
