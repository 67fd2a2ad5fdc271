/** Makes the pictures in docs/images again: `npm run pictures`. They show the demo, so look at each before a commit. */
import { fileURLToPath } from 'node:url';
import { drawContactSheet } from './support/contact-sheet.ts';
import { startDemoInBrowser } from './support/demo-in-browser.ts';
import { pageOfPictures } from './support/page-of-pictures.ts';
import type { SlackPage } from './support/slack-page.ts';
import { draftGroup, stateGroups } from './support/states.ts';

/** The page puts a section's button below its text; Slack puts it beside. */
const AS_IN_SLACK = '.bk-section { display: flex; justify-content: space-between; gap: 12px }';
/** No higher than what is in it, and nothing to type into. */
const THREAD_ONLY = `
  .thread-pane { width: 560px !important; align-self: flex-start; padding-bottom: 12px; border: none }
  .thread-pane .composer { display: none }`;

const file = (name: string) => fileURLToPath(new URL(`../../docs/images/${name}.png`, import.meta.url));

/** The demo merges a pull request by itself, some time after the agent's last change. */
const MERGED_WITHIN_MS = 120_000;

/** A whole job: asked for, steered, merged. */
async function job(slack: SlackPage): Promise<void> {
  await slack.write('/docs-agent Add a quickstart for the CLI: install, log in, first command');
  const card = slack.message('Add a quickstart');
  await slack.openThread(card);
  await slack.page.addStyleTag({ content: THREAD_ONLY });
  const thread = slack.page.locator('.thread-pane');
  const stills: Buffer[] = [];
  const still = async () => stills.push(await thread.screenshot());
  await slack.threadMessage('On it').waitFor();
  await card.getByText('Working').waitFor();
  await still();
  await slack.page.addStyleTag({ content: '.thread-pane .composer { display: block }' });
  await slack.reply('Please mention npx as well');
  await slack.page.addStyleTag({ content: '.thread-pane .composer { display: none }' });
  await slack.threadMessage('Please mention npx').getByText('✅').waitFor();
  await still();
  await slack.threadMessage('Merged by').waitFor({ timeout: MERGED_WITHIN_MS });
  await card.getByText('Merged').waitFor();
  await slack
    .threadMessage('Pull request ready')
    .getByText(/files?, merged/)
    .waitFor();
  await still();
  await thread.screenshot({ path: file('thread') });
  const captions = ['Ask', 'Steer', 'Get the pull request, and follow it to the merge'];
  const pictures = stills.map((png, index) => ({ caption: captions[index] ?? '', png }));
  await slack.page.setViewportSize({ width: 1800, height: 100 });
  await slack.page.setContent(pageOfPictures([{ title: '', pictures }]));
  await slack.page.screenshot({ path: file('job'), fullPage: true });
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
  await slack.home.getByText('docs#1').waitFor();
  await slack.page.screenshot({ path: file('home') });
}

const look = { viewport: { width: 1000, height: 720 }, deviceScaleFactor: 2 };
await using demo = await startDemoInBrowser(look);
for (const draw of [job, form, home]) {
  await using slack = await demo.openSlack();
  await draw(slack);
  console.log(`docs/images/${draw.name}.png`);
}
await using sheet = await demo.openSlack();
await drawContactSheet(sheet.page, stateGroups, file('states'));
console.log('docs/images/states.png');
await drawContactSheet(sheet.page, [draftGroup], file('draft'));
console.log('docs/images/draft.png');
