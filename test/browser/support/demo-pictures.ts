import { fileURLToPath } from 'node:url';
import { drawPictures, type Picture } from './page-of-pictures.ts';
import type { SlackPage } from './slack-page.ts';

/** The page puts a section's button below its text; Slack puts it beside. */
const AS_IN_SLACK = '.bk-section { display: flex; justify-content: space-between; gap: 12px }';
/** No higher than what is in it, and nothing to type into. The page joins the lines of plain text. */
const THREAD_ONLY = `
  .thread-pane { width: 560px !important; align-self: flex-start; padding-bottom: 12px; border: none }
  .thread-pane .composer { display: none }
  .thread-pane .bk-section { white-space: pre-wrap; overflow-wrap: anywhere }`;

/** The demo merges a pull request by itself, some time after the agent's last change. */
const MERGED_WITHIN_MS = 120_000;

/** Nothing in its corners. */
const FORM_ONLY = '.modal-overlay { background: #fff }';

export const imageFile = (name: string) =>
  fileURLToPath(new URL(`../../../docs/images/${name}.png`, import.meta.url));

/** A whole job: asked for, steered, merged. */
export async function job(slack: SlackPage): Promise<void> {
  await slack.write('/docs-agent Add a quickstart for the CLI: install, log in, first command');
  const card = slack.message('Add a quickstart');
  await slack.openThread(card);
  await slack.page.addStyleTag({ content: THREAD_ONLY });
  const thread = slack.page.locator('.thread-pane');
  const stills: Picture[] = [];
  const still = async (caption: string) => stills.push({ caption, png: await thread.screenshot() });
  await slack.threadMessage('On it').waitFor();
  await card.getByText('Working').waitFor();
  await still('Ask');
  await slack.page.addStyleTag({ content: '.thread-pane .composer { display: block }' });
  await slack.reply('Please mention npx as well');
  await slack.page.addStyleTag({ content: '.thread-pane .composer { display: none }' });
  await slack.threadMessage('Please mention npx').getByText('✅').waitFor();
  await still('Steer');
  await slack.threadMessage('Merged by').waitFor({ timeout: MERGED_WITHIN_MS });
  await card.getByText('Merged').waitFor();
  await slack
    .threadMessage('Pull request ready')
    .getByText(/files?, merged/)
    .waitFor();
  await still('Get the pull request, and follow it to the merge');
  await thread.screenshot({ path: imageFile('thread') });
  await drawPictures(slack.page, [{ title: '', pictures: stills }], imageFile('job'));
}

/** A message that somebody marks, its draft, and the job. */
export async function marks(slack: SlackPage): Promise<void> {
  await slack.write('Nobody finds out which plan has which rate limit');
  const marked = slack.message('Nobody finds out').first();
  await slack.actAs('Bob Brown');
  await marked.hover();
  await marked.getByTitle('Reply in thread').click();
  await slack.reply('Support is asked that every week');
  await slack.threadMessage('Support is asked').waitFor();
  await slack.mark(marked, 'memo');
  const draft = slack.threadMessage('Draft');
  await draft.waitFor();
  await slack.page.addStyleTag({ content: THREAD_ONLY });
  const thread = slack.page.locator('.thread-pane');
  const pictures = [{ caption: 'Mark a message: its draft', png: await thread.screenshot() }];
  await draft.getByRole('button', { name: 'Choose…' }).click();
  // As Slack shows it at first: the page leaves out what is ticked.
  await slack.page.addStyleTag({ content: FORM_ONLY });
  await slack.form.getByRole('checkbox').check();
  await slack.form.getByRole('textbox').fill('Say in the guide which plan has which rate limit');
  pictures.push({ caption: 'Edit and start', png: await slack.form.screenshot() });
  await slack.form.getByRole('button', { name: 'Start' }).click();
  await slack.threadMessage('On it').waitFor();
  await slack.threadMessage('Details').getByText('Working').waitFor();
  pictures.push({ caption: 'The job goes on in this thread', png: await thread.screenshot() });
  await drawPictures(slack.page, [{ title: '', pictures }], imageFile('marks'));
}

export async function form(slack: SlackPage): Promise<void> {
  await slack.write('/docs-agent');
  // The word "slow" keeps the demo's agent at work until the next picture is made.
  await slack.form.getByRole('textbox').fill('Explain how to find slow queries in the log');
  await slack.page.screenshot({ path: imageFile('form') });
  await slack.form.getByRole('button', { name: 'Start' }).click();
  await slack.message('slow queries').getByText('Working').waitFor();
}

export async function home(slack: SlackPage): Promise<void> {
  await slack.page.addStyleTag({ content: AS_IN_SLACK });
  await slack.open('docs-agent');
  await slack.home.getByText('docs#1').waitFor();
  await slack.page.screenshot({ path: imageFile('home') });
}

/** The form that asks for a recipe's values. */
export async function recipeForm(slack: SlackPage): Promise<Picture> {
  await slack.write('/docs-agent run release-notes');
  await slack.form.getByRole('textbox').fill('2.1');
  await slack.page.addStyleTag({ content: FORM_ONLY });
  return { caption: '/docs-agent run release-notes', png: await slack.form.screenshot() };
}
