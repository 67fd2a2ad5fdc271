import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { outcomeOf } from '../support/child-program.ts';

const run = (...args: readonly string[]) => outcomeOf(['manifest', ...args]);

const EVENTS = 'https://bot.example.com/slack/events';

describe('docs-agent manifest', () => {
  test.concurrent('prints the manifest of the repository, without any settings', async () => {
    const output = await readFile(new URL('../../manifest.yml', import.meta.url), 'utf8');
    expect(await run()).toEqual({ code: 0, output });
  });

  test.concurrent.each(['https://bot.example.com', 'https://bot.example.com/', EVENTS])(
    'takes the public address as %s',
    async (address) => {
      const { code, output } = await run('--url', address);
      expect(code).toBe(0);
      const { settings, oauth_config } = parse(output);
      expect(settings.event_subscriptions.request_url).toBe(EVENTS);
      expect(settings.socket_mode_enabled).toBe(false);
      expect(oauth_config).not.toHaveProperty('redirect_urls');
    },
  );

  test.concurrent('prints one for many workspaces, also in Socket Mode', async () => {
    const args = ['--url', 'https://bot.example.com', '--oauth', '--socket'];
    const { code, output } = await run(...args);
    expect(code).toBe(0);
    const { settings, oauth_config } = parse(output);
    expect(oauth_config.redirect_urls).toEqual(['https://bot.example.com/slack/oauth_redirect']);
    expect(settings).toMatchObject({ socket_mode_enabled: true, token_rotation_enabled: false });
    expect(settings.event_subscriptions).not.toHaveProperty('request_url');
  });

  test.concurrent('prints one for drafts by emoji', async () => {
    const { code, output } = await run('--reactions');
    expect(code).toBe(0);
    expect(parse(output).settings.event_subscriptions.bot_events).toContain('reaction_added');
  });

  test.concurrent('prints one for an agent with a step of workflows', async () => {
    const { code, output } = await run('--agent', '--workflow');
    expect(code).toBe(0);
    const { features, functions } = parse(output);
    expect(features).toHaveProperty('agent_view');
    expect(functions).toHaveProperty('ask_docs_agent');
  });

  test.concurrent.each([
    [['--url', 'http://bot.example.com'], 'must be an https address'],
    [['--url', 'bot.example.com'], 'must be an https address'],
    [['--url', 'https://me:secret@bot.example.com'], 'must be an https address'],
    [['--url'], "Option '--url <value>' argument missing"],
    [['--oauth'], '--oauth needs --url'],
    [
      ['--url', 'https://bot.example.com', '--oauth', '--workflow'],
      '--workflow cannot be combined with --oauth',
    ],
    [['--http'], "Unknown option '--http'"],
  ])('says how it is used when called with %j', async (args, words) => {
    const { code, output } = await run(...args);
    expect(code).toBe(64);
    expect(output).toContain(words);
    expect(output).toContain('Usage: docs-agent manifest');
    expect(output).not.toContain('secret');
  });
});
