import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ASK_SHORTCUT_ID } from '../src/slack/ids.ts';
import { labels } from '../src/slack/views/words.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const source = read('../manifest.yml');
const address = 'https://docs-agent.example.com/slack/events';

function problems(version: string, manifest: unknown): unknown {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const validate = ajv.compile(JSON.parse(read(`./support/slack-manifest-schema/${version}.json`)));
  return validate(manifest) ? [] : validate.errors;
}

describe.each(['v1', 'v2'])("by Slack's schema %s", (version) => {
  test('the manifest is valid', () => {
    expect(problems(version, parse(source))).toEqual([]);
  });

  test('it is still valid after the changes for HTTP mode', () => {
    const manifest = parse(source);
    manifest.features.slash_commands[0].url = address;
    manifest.settings.event_subscriptions.request_url = address;
    manifest.settings.interactivity.request_url = address;
    manifest.settings.socket_mode_enabled = false;
    expect(problems(version, manifest)).toEqual([]);
  });

  test('a manifest with an unknown key is not', () => {
    expect(problems(version, { ...parse(source), homepage: 'https://example.com' })).not.toEqual([]);
  });
});

test('the app asks for the least that it needs', () => {
  const { oauth_config, settings, features } = parse(source);
  expect(oauth_config.scopes).toEqual({
    bot: [
      'commands',
      'app_mentions:read',
      'chat:write',
      'reactions:write',
      'channels:history',
      'groups:history',
      'im:history',
      'mpim:history',
      'files:read',
      'users:read',
      'usergroups:read',
    ],
  });
  expect(settings.event_subscriptions.bot_events).toEqual([
    'app_mention',
    'app_home_opened',
    'message.channels',
    'message.groups',
    'message.im',
    'message.mpim',
  ]);
  expect(settings.interactivity.is_enabled).toBe(true);
  expect(settings.socket_mode_enabled).toBe(true);
  expect(features.shortcuts).toMatchObject([
    { name: labels.askDocsAgent, type: 'message', callback_id: ASK_SHORTCUT_ID },
  ]);
  expect(features.slash_commands).toMatchObject([{ command: '/docs-agent', should_escape: true }]);
});
