import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { outcomeHere } from './support/printed.ts';

const run = (...args: readonly string[]) => outcomeHere('manifest', args);
const EVENTS = 'https://bot.example.com/slack/events';

test.each(['https://bot.example.com', 'https://bot.example.com/', EVENTS])(
  'docs-agent manifest takes the public address as %s',
  async (address) => {
    const { code, output } = await run('--url', address);
    expect(code).toBe(0);
    const { settings, oauth_config } = parse(output);
    expect(settings.event_subscriptions.request_url).toBe(EVENTS);
    expect(settings.socket_mode_enabled).toBe(false);
    expect(oauth_config).not.toHaveProperty('redirect_urls');
  },
);

test('docs-agent manifest prints one for what its options name', async () => {
  const oauth = parse((await run('--url', 'https://bot.example.com', '--oauth', '--socket')).output);
  expect(oauth.oauth_config.redirect_urls).toEqual(['https://bot.example.com/slack/oauth_redirect']);
  expect(oauth.settings).toMatchObject({ socket_mode_enabled: true, token_rotation_enabled: false });
  const { features, functions, settings } = parse((await run('--agent', '--workflow', '--reactions')).output);
  expect(features).toHaveProperty('agent_view');
  expect(functions).toHaveProperty('ask_docs_agent');
  expect(settings.event_subscriptions.bot_events).toContain('reaction_added');
});

test.each([
  [['--url', 'http://bot.example.com'], 'must be an https address'],
  [['--url', 'bot.example.com'], 'must be an https address'],
  [['--url', 'https://me:secret@bot.example.com'], 'must be an https address'],
  [['--url'], "Option '--url <value>' argument missing"],
  [['--oauth'], '--oauth needs --url'],
  [['--url', EVENTS, '--oauth', '--workflow'], '--workflow cannot be combined with --oauth'],
])('docs-agent manifest is not made for %j', async (args, words) => {
  const { code, output } = await run(...args);
  expect(code).toBe(64);
  expect(output).toContain(words);
  expect(output).not.toContain('secret');
});
