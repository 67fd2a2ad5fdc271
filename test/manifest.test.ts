import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ManifestOptions, manifestYaml } from '../src/slack/manifest.ts';
import { ASK_SHORTCUT_ID } from '../src/slack/protocol/ids.ts';
import { labels } from '../src/slack/views/text.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const url = 'https://bot.example.com';
const oauth = { url };

const variants: readonly [name: string, options: ManifestOptions][] = [
  ['Socket Mode', { url: null, oauth: null }],
  ['HTTP mode', { url, oauth: null }],
  ['Socket Mode with OAuth', { url: null, oauth }],
  ['HTTP mode with OAuth', { url, oauth }],
  ['drafts by emoji in Socket Mode', { url: null, oauth: null, hasReactions: true }],
  ['drafts by emoji for an agent in HTTP mode with OAuth', { url, oauth, isAgent: true, hasReactions: true }],
  ['an agent in Socket Mode', { url: null, oauth: null, isAgent: true }],
  ['an agent in HTTP mode with OAuth', { url, oauth, isAgent: true }],
];
/** A step of workflows is described otherwise by version 1 of the schema; the manifests say that they are version 2. */
const withStep: typeof variants = [
  ['a step of workflows in Socket Mode', { url: null, oauth: null, hasWorkflowStep: true }],
  ['a step of workflows in HTTP mode', { url, oauth: null, hasWorkflowStep: true }],
  ['an agent with a step of workflows', { url: null, oauth: null, isAgent: true, hasWorkflowStep: true }],
  [
    'all of them in HTTP mode',
    { url, oauth: null, isAgent: true, hasReactions: true, hasWorkflowStep: true },
  ],
];

function problems(version: string, manifest: unknown): unknown {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const validate = ajv.compile(JSON.parse(read(`./support/slack-manifest-schema/${version}.json`)));
  return validate(manifest) ? [] : validate.errors;
}

test.each(withStep)("the manifest for %s is valid by Slack's schema v2", (_name, options) => {
  const manifest = parse(manifestYaml(options));
  expect(manifest._metadata).toEqual({ major_version: 2 });
  expect(problems('v2', manifest)).toEqual([]);
});

test('a step of workflows is carried out by the program, and asks for what the event brings', () => {
  const plain = parse(manifestYaml({ url: null, oauth: null }));
  const { functions, settings, oauth_config } = parse(
    manifestYaml({ url: null, oauth: null, hasWorkflowStep: true }),
  );
  expect(settings).toMatchObject({ org_deploy_enabled: true, function_runtime: 'remote' });
  expect(settings.event_subscriptions.bot_events).toEqual([
    ...plain.settings.event_subscriptions.bot_events,
    'function_executed',
  ]);
  expect(oauth_config).toEqual(plain.oauth_config);
  const { input_parameters: inputs, output_parameters: outputs } = functions.ask_docs_agent;
  expect(inputs.required).toEqual(['request', 'channel']);
  // With the id of a user, every author of a workflow could ask in anybody's name.
  expect(inputs.properties.person.type).toBe('slack#/types/user_context');
  expect(outputs.required).toEqual(['thread', 'state']);
});

describe.each(['v1', 'v2'])("by Slack's schema %s", (version) => {
  test.each(variants)('the manifest for %s is valid', (_name, options) => {
    expect(problems(version, parse(manifestYaml(options)))).toEqual([]);
  });
});

test('manifest.yml is the one for Socket Mode (`npm run -s docs-agent manifest > manifest.yml`)', () => {
  expect(read('../manifest.yml')).toBe(manifestYaml({ url: null, oauth: null }));
});

const BOT_SCOPES =
  'commands app_mentions:read chat:write reactions:write channels:history groups:history im:history ' +
  'mpim:history channels:read groups:read mpim:read files:read users:read usergroups:read';
const BOT_EVENTS =
  'app_mention app_home_opened message.channels message.groups message.im ' +
  'message.mpim member_joined_channel channel_shared channel_unarchive group_unarchive';

test('the app asks for the least that it needs', () => {
  const { oauth_config, settings, features } = parse(manifestYaml({ url: null, oauth: null }));
  expect(oauth_config).toEqual({
    scopes: {
      bot: BOT_SCOPES.split(' '),
      // Whoever installs the app may leave it out.
      bot_optional: ['users:read.email'],
    },
  });
  expect(settings.event_subscriptions).toEqual({
    bot_events: BOT_EVENTS.split(' '),
  });
  expect(settings.interactivity).toEqual({ is_enabled: true });
  expect(settings.socket_mode_enabled).toBe(true);
  expect(features.shortcuts).toMatchObject([
    { name: labels.askDocsAgent, type: 'message', callback_id: ASK_SHORTCUT_ID },
  ]);
  expect(features.slash_commands).toMatchObject([{ command: '/docs-agent', should_escape: true }]);
  expect(features.slash_commands[0]).not.toHaveProperty('url');
});

test('for drafts by emoji it asks to see reactions, and leaves it open whether to read the names of emoji', () => {
  const plain = parse(manifestYaml({ url: null, oauth: null }));
  const { oauth_config, settings } = parse(manifestYaml({ url: null, oauth: null, hasReactions: true }));
  expect(oauth_config.scopes).toEqual({
    bot: [...plain.oauth_config.scopes.bot, 'reactions:read'],
    bot_optional: ['users:read.email', 'emoji:read'],
  });
  expect(settings.event_subscriptions.bot_events).toEqual([
    ...plain.settings.event_subscriptions.bot_events,
    'reaction_added',
    'reaction_removed',
  ]);
});

test('an agent asks for what Slack wants of agents, and tells people what to ask it for', () => {
  const plain = parse(manifestYaml({ url: null, oauth: null }));
  const { features, oauth_config, settings } = parse(manifestYaml({ url: null, oauth: null, isAgent: true }));
  expect(oauth_config.scopes.bot).toEqual([...plain.oauth_config.scopes.bot, 'assistant:write']);
  expect(features).not.toHaveProperty('assistant_view');
  expect(features.agent_view.suggested_prompts).toHaveLength(4);
  const { event_subscriptions: events, ...others } = settings;
  const { event_subscriptions: plainEvents, ...plainOthers } = plain.settings;
  expect(others).toEqual(plainOthers);
  expect(events.bot_events).toEqual([...plainEvents.bot_events, 'agent_session_stopped']);
});

test.each([...variants, ...withStep])(
  'the manifest for %s says what fails without each scope',
  (_name, options) => {
    const text = manifestYaml(options);
    const lines = text.split('\n');
    const { bot, bot_optional = [] } = parse(text).oauth_config.scopes;
    const scopes: readonly string[] = [...bot, ...bot_optional];
    const comments = scopes.map((name) =>
      lines[lines.findIndex((line) => line.trim() === `- ${name}`) - 1]?.trim(),
    );
    expect(comments.length).toBeGreaterThan(10);
    for (const above of comments) expect(above).toMatch(/^# /);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(120);
  },
);
