import { expect, test } from 'vitest';
import { features } from '../../../src/app/features.ts';
import type { FeatureTools } from '../../../src/features/feature.ts';
import { events as ownListeners } from '../../../src/slack/inbound/events.ts';
import {
  agentEvents,
  botEvents,
  botScopes,
  emailScopes,
  oauthEvents,
  optionalReactionScopes,
  reactionEvents,
  reactionScopes,
  workflowEvents,
} from '../../../src/slack/protocol/scopes.ts';
import { readSources } from '../../support/sources.ts';
import { otherScopes, scopesOfEvents, scopesOfMethods } from '../../support/strict-slack/needed-scopes.ts';

const names = (entries: readonly { readonly name: string }[]) => entries.map(({ name }) => name);
const scopes = names([...botScopes, ...emailScopes, ...reactionScopes, ...optionalReactionScopes]);
const events = [...botEvents, ...reactionEvents, ...oauthEvents];

/** A method as `callApi('chat.update', …)` names it, or as `client.chat.update(…)` does. */
const METHOD =
  /(?:'|\bclient\.)((?:apps|assistant|auth|chat|conversations|emoji|reactions|usergroups|users|views)(?:\.[a-zA-Z]+)+)['(]/g;

function methodsInCode(): Set<string> {
  const texts = readSources('src').map(({ text }) => text);
  return new Set(texts.flatMap((text) => [...text.matchAll(METHOD)].map(([, name = '']) => name)));
}

test('every method that the program calls has the scope that it needs', () => {
  const methods = [...methodsInCode()];
  expect(methods).toContain('chat.postMessage');
  expect(methods).toContain('users.info');
  for (const method of methods) {
    const needed = scopesOfMethods[method];
    expect(needed, `what ${method} needs`).toBeDefined();
    expect(needed?.filter((scope) => !scopes.includes(scope))).toEqual([]);
  }
});

test('every event that the manifest asks for has the scope that it needs', () => {
  for (const event of events) {
    const needed = scopesOfEvents[event];
    expect(needed, `what ${event} needs`).toBeDefined();
    expect(needed?.filter((scope) => !scopes.includes(scope))).toEqual([]);
  }
});

test('no scope is asked for that nothing needs', () => {
  const ofMethods = [...methodsInCode()].flatMap((method) => scopesOfMethods[method] ?? []);
  const ofEvents = events.flatMap((event) => scopesOfEvents[event] ?? []);
  const needed = new Set([...ofMethods, ...ofEvents, ...otherScopes]);
  expect(scopes.filter((scope) => !needed.has(scope))).toEqual([]);
});

test('every event that the program listens to is asked for, and no other', () => {
  const ofFeatures = features.flatMap(({ listeners }) =>
    Object.keys(listeners?.({} as FeatureTools).events ?? {}),
  );
  const inRoutes = readSources('src/slack').flatMap(({ text }) =>
    [...text.matchAll(/\bapp\.event\('(\w+)'/g)].map(([, name = '']) => name),
  );
  const listened = [...inRoutes, ...Object.keys(ownListeners), ...ofFeatures];
  const asked = [...botEvents, ...reactionEvents, ...agentEvents, ...workflowEvents].map(
    (name) => name.split('.')[0],
  );
  expect(new Set(listened)).toEqual(new Set(asked));
});
