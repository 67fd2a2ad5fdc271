import { WebClient } from '@slack/web-api';
import type { Page } from 'playwright-core';
import { findLocalSlack, whereToGetLocalSlack } from '../../../demo/local-slack/find.ts';
import { startRenderingProxy } from '../../../demo/local-slack/rendering-proxy.ts';
import { demoWorkspace, localApp } from '../../../demo/local-slack/workspace.ts';
import { startLocalSlack } from '../../../demo/local-slack.ts';
import type { SlackMessage } from '../../../src/slack/views/message.ts';
import type { PictureGroup } from './page-of-pictures.ts';

/** What people read in related situations, by a name for each. */
export interface StateGroup {
  readonly title: string;
  readonly states: Readonly<Record<string, SlackMessage>>;
}

const [channel] = demoWorkspace.channels;
/** The page joins the lines of plain text, and puts a section's button below its text. */
const AS_IN_SLACK =
  '.bk-section { display: flex; justify-content: space-between; gap: 12px; white-space: pre-wrap }';

/** Posts each message in a local Slack, and takes a picture of each. */
export async function picturesOf(page: Page, groups: readonly StateGroup[]): Promise<PictureGroup[]> {
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
  await page.addStyleTag({ content: AS_IN_SLACK });
  const pngs: Buffer[] = [];
  // One after the other: each scrolls the page.
  for (const message of await shown.all()) pngs.push(await message.screenshot());
  return groups.map(({ title, states }) => ({
    title,
    pictures: Object.keys(states).map((caption) => ({ caption, png: pngs.shift() ?? Buffer.alloc(0) })),
  }));
}
