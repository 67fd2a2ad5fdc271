import type { Locator, Page } from 'playwright-core';

/**
 * What a person sees in the page of the local Slack, and does with mouse and keyboard. What is pressed or filled in
 * is waited for; what must be seen is a locator to wait for.
 */
export interface SlackPage extends AsyncDisposable {
  readonly page: Page;
  /** Clicks a channel or the app in the sidebar. */
  open(place: string): Promise<void>;
  /** Goes on as another person: `Bob Brown`. */
  actAs(name: string): Promise<void>;
  /** Types into the box under the channel, and sends it. */
  write(text: string): Promise<void>;
  /** Types `@docs-agent` and takes the offer to complete it, then the text, and sends it. */
  mention(text: string): Promise<void>;
  /** Types into the box under the open thread, and sends it. */
  reply(text: string): Promise<void>;
  /** Puts an emoji at a message, by the emoji's name. */
  mark(message: Locator, emoji: string): Promise<void>;
  /** Opens the message's thread: by the count of its replies below the message. */
  openThread(root: Locator): Promise<void>;
  /** Opens a link, in a page of its own that is closed with the object. */
  follow(link: Locator): Promise<{ readonly page: Page } & AsyncDisposable>;
  /** The messages of the open channel that contain the words. */
  message(words: string): Locator;
  /** The messages of the open thread that contain the words. */
  threadMessage(words: string): Locator;
  /** The form that lies above everything. */
  readonly form: Locator;
  /** The open home of the app. */
  readonly home: Locator;
  /** All that can be seen, as text, to tell why a test failed. */
  shown(): Promise<string>;
}

export function createSlackPage(page: Page): SlackPage {
  const box = page.getByPlaceholder(/^Message #/);
  const threadBox = page.getByPlaceholder(/^Reply in thread/);
  const form = page.locator('.modal');
  const send = async (into: Locator, text: string) => {
    await into.click();
    await into.pressSequentially(text);
    await into.press('Enter');
  };
  const messages = (pane: string, words: string) => page.locator(`${pane} .msg`).filter({ hasText: words });
  return {
    page,
    open: (place) => page.locator('.sidebar-item').filter({ hasText: place }).first().click(),
    actAs: async (name) => {
      await page.getByLabel('Act as').selectOption(name);
    },
    write: (text) => send(box, text),
    mention: async (text) => {
      await box.click();
      await box.pressSequentially('@docs');
      await page.locator('.mention-option').filter({ hasText: 'docs-agent' }).click();
      await send(box, text);
    },
    reply: (text) => send(threadBox, text),
    mark: async (message, emoji) => {
      await message.hover();
      await message.getByTitle('Add reaction').click();
      const name = page.getByPlaceholder('custom_emoji_name');
      await name.fill(emoji);
      await name.press('Enter');
    },
    openThread: (root) => root.locator('.thread-summary').click(),
    follow: async (link) => {
      const opened = await page.context().newPage();
      await opened.goto((await link.getAttribute('href')) ?? '');
      return { page: opened, [Symbol.asyncDispose]: () => opened.close() };
    },
    message: (words) => messages('.messages', words),
    threadMessage: (words) => messages('.thread-pane', words),
    form,
    home: page.locator('.home'),
    shown: () => page.locator('.app').ariaSnapshot(),
    [Symbol.asyncDispose]: async () => {
      // The local Slack has one form for all people and pages, and would go on showing it.
      // A form that was just submitted may close by itself.
      if (await form.isVisible())
        await form
          .locator('.modal-x')
          .click({ timeout: 2_000 })
          .catch(() => {});
      await page.context().close();
    },
  };
}
