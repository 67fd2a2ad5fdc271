/** Makes the pictures in docs/images again: `npm run pictures`. They show the demo, so look at each before a commit. */
import { fileURLToPath } from 'node:url';
import { startDemoInBrowser } from './support/demo-in-browser.ts';
import type { SlackPage } from './support/slack-page.ts';

/** The page puts a section's button below its text; Slack puts it beside. */
const AS_IN_SLACK = '.bk-section { display: flex; justify-content: space-between; gap: 12px }';
/** No higher than what is in it, and nothing to type into. */
const THREAD_ONLY = `
  .thread-pane { width: 700px !important; align-self: flex-start; padding-bottom: 12px; border: none }
  .thread-pane .composer { display: none }`;

const file = (name: string) => fileURLToPath(new URL(`../../docs/images/${name}.png`, import.meta.url));

async function thread(slack: SlackPage): Promise<void> {
  await slack.write('/docs-agent Add a quickstart for the CLI: install, log in, first command');
  const card = slack.message('“Add a quickstart');
  await slack.openThread(card);
  await slack.threadMessage('Working').last().waitFor();
  await slack.reply('Please mention npx as well');
  await slack.threadMessage('Please mention npx').getByText('✅').waitFor();
  await slack.threadMessage('🎉').waitFor();
  await card.getByText('1 follow-up sent').waitFor();
  await card.getByText('Finished').waitFor();
  await slack.page.addStyleTag({ content: THREAD_ONLY });
  await slack.page.locator('.thread-pane').screenshot({ path: file('thread') });
}

async function form(slack: SlackPage): Promise<void> {
  await slack.write('/docs-agent');
  // The word "slow" keeps the demo's agent at work until the next picture is made.
  await slack.form.getByRole('textbox').fill('Explain how to find slow queries in the log');
  await slack.page.screenshot({ path: file('form') });
  await slack.form.getByRole('button', { name: 'Start' }).click();
  await slack.message('slow queries').getByText('Working').waitFor();
}

async function home(slack: SlackPage): Promise<void> {
  await slack.page.addStyleTag({ content: AS_IN_SLACK });
  await slack.open('docs-agent');
  await slack.home.getByText('/pull/1').waitFor();
  await slack.page.screenshot({ path: file('home') });
}

await using demo = await startDemoInBrowser({
  viewport: { width: 1000, height: 720 },
  deviceScaleFactor: 2,
});
for (const draw of [thread, form, home]) {
  await using slack = await demo.openSlack();
  await draw(slack);
  console.log(`docs/images/${draw.name}.png`);
}
