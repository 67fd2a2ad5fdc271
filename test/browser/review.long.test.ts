import { describeInBrowser, test } from './support/test-in-browser.ts';

const FORM_WITHIN_MS = 5_000;

describeInBrowser("the demo's way from a review to the next turn", () => {
  test('failing check → fix → green; changes requested → sent → merged (P5)', async ({ slack }) => {
    await slack.write('/docs-agent Explain the retries: red and picky');
    const card = slack.message('Explain the retries');
    await slack.openThread(card);
    const send = async (words: string, button: string, shown: string) => {
      const news = slack.threadMessage(words);
      const answer = async () => {
        if (!(await slack.form.isVisible())) await news.getByRole('button', { name: button }).click();
        await slack.form.getByText(shown).first().waitFor({ timeout: FORM_WITHIN_MS });
        await slack.form.getByRole('button', { name: 'Send' }).click({ timeout: FORM_WITHIN_MS });
        await slack.form.waitFor({ state: 'hidden', timeout: FORM_WITHIN_MS });
      };
      await news.waitFor();
      await answer().catch(answer);
      await news.getByText('alice sent it to the agent').waitFor();
    };
    await send('Checks failing on acme/docs', 'Ask for a fix', 'Your reply to the agent');
    await slack.threadMessage('Updated:').getByText('I fixed what the check “build” found').waitFor();
    await send('Changes requested on acme/docs', 'Send the review', 'Show an example');
    await slack.threadMessage('Updated:').getByText('I answered 3 comments of the review').waitFor();
    // Whoever reads it merges it.
    await using changes = await slack.follow(
      slack.threadMessage('Updated:').first().getByRole('link').first(),
    );
    await slack.threadMessage('🎉').getByText('checks passing · approved').waitFor();
    await changes.page.getByRole('button', { name: 'Merge pull request' }).click();
    await slack.threadMessage('Merged by alice').waitFor();
    await card.getByText('Merged').waitFor();
  });
});
