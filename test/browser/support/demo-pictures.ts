import { fileURLToPath } from 'node:url';
import { drawPictures, type Picture } from './contact-sheet.ts';
import type { SlackPage } from './slack-page.ts';

/** The page puts a section's button below its text; Slack puts it beside. */
const AS_IN_SLACK = '.bk-section { display: flex; justify-content: space-between; gap: 12px }';
/** No higher than what is in it, and nothing to type into. The page joins the lines of plain text. */
const THREAD_ONLY = `
  .thread-pane { width: 560px !important; align-self: flex-start; padding-bottom: 12px; border: none }
  .thread-pane .composer { display: none }
  .thread-pane .bk-section { white-space: pre-wrap; overflow-wrap: anywhere }`;

/** So that not all happens in the same minute. */
const REPLIED_AFTER_MS = 40_000;

/** The demo merges a pull request by itself, some time after the agent's last change. */
const MERGED_WITHIN_MS = 240_000;

/** Without what only the local Slack's page has. */
const NO_TOPBAR = '.topbar { display: none }';

/** Nothing in its corners. */
const FORM_ONLY = '.modal-overlay { background: #fff }';

export const imageFile = (name: string) =>
  fileURLToPath(new URL(`../../../docs/images/${name}.png`, import.meta.url));

/** Channel and thread at the width of a page of a repository. What a recipe's schedule started meanwhile is left out. */
const TWO_PANES = `
  .topbar, .sidebar, .composer, .messages .msg:nth-child(n + 3) { display: none !important }
  .app, .body { height: auto !important; min-height: 0 !important }
  .body { border: 1px solid #ddd }
  .thread-pane { width: 52% !important; padding-bottom: 12px }
  .messages, .thread-body { overflow: visible !important }
  .bk-section { white-space: pre-wrap; overflow-wrap: anywhere }`;

/** A whole job: asked for, steered, merged. It is slow, so that its messages are minutes apart. */
export async function job(slack: SlackPage): Promise<void> {
  const { page } = slack;
  await slack.actAs('Bob Brown');
  await slack.write('Support is asked every week how to find slow queries. Can we write that down?');
  await slack.message('Support is asked').waitFor();
  await slack.actAs('Alice Anderson');
  await slack.write('/docs-agent Explain how to find slow queries in the log');
  const card = slack.message('Explain how');
  await card.getByText('Working').waitFor();
  await page.waitForTimeout(REPLIED_AFTER_MS);
  await slack.openThread(card);
  await slack.actAs('Bob Brown');
  await slack.reply('Please name the setting that turns the log on, too');
  await slack.threadMessage('Please name').getByText('✅').waitFor();
  await slack.threadMessage('Merged by').waitFor({ timeout: MERGED_WITHIN_MS });
  await card.getByText('Merged').waitFor();
  await slack.threadMessage('Merged:').waitFor();
  // Nothing is pointed at.
  await page.mouse.move(0, 0);
  const style = await page.addStyleTag({ content: TWO_PANES });
  await page.locator('.body').screenshot({ path: imageFile('job') });
  await style.evaluate((element) => element.parentNode?.removeChild(element));
  await page.addStyleTag({ content: THREAD_ONLY });
  await page.locator('.thread-pane').screenshot({ path: imageFile('thread') });
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
  await slack.threadMessage('Details').getByText('Working').waitFor();
  await slack.page.mouse.move(0, 0);
  pictures.push({ caption: 'The job goes on in this thread', png: await thread.screenshot() });
  await drawPictures(slack.page, '', pictures, imageFile('marks'));
}

export async function form(slack: SlackPage): Promise<void> {
  await slack.page.addStyleTag({ content: NO_TOPBAR });
  await slack.write('/docs-agent');
  // The word "slow" keeps the demo's agent at work until the next picture is made.
  await slack.form.getByRole('textbox').fill('Say why large projects are slow to open');
  await slack.page.screenshot({ path: imageFile('form') });
  await slack.form.getByRole('button', { name: 'Start' }).click();
  await slack.message('large projects').getByText('Working').waitFor();
}

export async function home(slack: SlackPage): Promise<void> {
  await slack.page.addStyleTag({ content: AS_IN_SLACK + NO_TOPBAR });
  await slack.open('docs-agent');
  await slack.home.getByText('docs#1').waitFor();
  await slack.home.getByText('being checked').waitFor({ state: 'hidden' });
  await slack.page.screenshot({ path: imageFile('home') });
}

/** The form that asks for a recipe's values. */
export async function recipeForm(slack: SlackPage): Promise<Picture> {
  await slack.write('/docs-agent run release-notes');
  await slack.form.getByRole('textbox').fill('2.1');
  await slack.page.addStyleTag({ content: FORM_ONLY });
  return { caption: '/docs-agent run release-notes', png: await slack.form.screenshot() };
}
