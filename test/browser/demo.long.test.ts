import { expect } from 'vitest';
import { describeInBrowser, test } from './support/test-in-browser.ts';

describeInBrowser("the demo, typed and clicked in the local Slack's page", () => {
  test('from a command to a card, a reply with its receipt, and the pull request (S1, F1, W2, W3, N1)', async ({
    slack,
  }) => {
    await slack.write('/docs-agent Add a quickstart');
    const card = slack.message('Add a quickstart');
    await card.getByText('alice · docs').waitFor();
    await slack.openThread(card);
    await slack
      .threadMessage("On it. Reply here to steer; I'll post the pull request in this thread.")
      .waitFor();

    await slack.reply('Mention npx as well');
    const reply = slack.threadMessage('Mention npx as well');
    await reply.locator('.reaction').filter({ hasText: '✅' }).waitFor();

    const told = slack.threadMessage('🎉');
    await told.getByText('@Alice Anderson Pull request ready').waitFor();
    const address = (await told.getByRole('link').getAttribute('href')) ?? '';
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/acme\/docs\/pull\/\d+$/);
    const short = address.replace(/.*\//, 'acme/docs#');
    expect(await told.getByRole('link').textContent()).toBe(short);
    await card.getByText('✅').waitFor();
    await card.getByRole('button', { name: 'View pull request' }).waitFor();
    expect(await told.count()).toBe(1);

    await slack.open('docs-changes');
    const notice = slack.message('Add a quickstart');
    expect(await notice.getByRole('link', { name: short }).getAttribute('href')).toBe(address);
    expect(await notice.count()).toBe(1);
  });

  test('a marked message becomes a draft, and a job in its thread when its form is sent as it is (T2)', async ({
    slack,
  }) => {
    await slack.write('Nobody finds the rate limits');
    const marked = slack.message('Nobody finds the rate limits').first();
    await slack.mark(marked, 'memo');
    await slack.openThread(marked);
    const draft = slack.threadMessage('Draft from');
    await draft.getByRole('button', { name: 'Edit and start' }).click();
    await slack.form.getByText('What should change').waitFor();
    await slack.form.getByRole('button', { name: 'Start' }).click();
    await draft.getByText('Started by alice').waitFor();
    await slack.threadMessage('Working').waitFor();
  });
});
