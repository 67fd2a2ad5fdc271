import { describe } from 'vitest';
import { findLocalSlack } from '../../demo/local-slack/find.ts';
import { type LocalWorkspace, localApp } from '../../demo/local-slack/workspace.ts';
import { type LocalSlack, startLocalSlack } from '../../demo/local-slack.ts';

const binary = findLocalSlack(process.env);

/** The people and channels of `testWorkspace`. The bot is in `general`, not in `random`. */
export const alice = 'U0ALICE';
export const bob = 'U0BOB';
export const general = 'C0GENERAL';
export const random = 'C0RANDOM';

export const testWorkspace: LocalWorkspace = {
  users: [
    { id: alice, name: 'alice', realName: 'Alice Anderson' },
    { id: bob, name: 'bob', realName: 'Bob Brown' },
  ],
  channels: [
    { id: general, name: 'general', members: [alice, bob, localApp.botUserId] },
    { id: random, name: 'random', members: [alice, bob] },
  ],
  app: { mode: 'socket' },
};

/** `describe` for tests against a local Slack: skipped, saying so, on a machine that has none. */
export function describeWithLocalSlack(name: string, tests: () => void): void {
  describe.skipIf(binary === null)(binary === null ? `${name} (skipped: no local Slack)` : name, tests);
}

export interface TestSlack extends LocalSlack {
  /** Acts as its people. */
  readonly control: SlackControl;
}

/** Starts a local Slack on a free port. */
export async function startTestSlack(workspace: LocalWorkspace = testWorkspace): Promise<TestSlack> {
  if (binary === null) throw new Error('no local Slack: use describeWithLocalSlack');
  const slack = await startLocalSlack({ binary, port: 0, workspace });
  return { ...slack, control: createSlackControl(slack.url) };
}

/** A message as Slack keeps it. */
export interface SlackMessage {
  readonly ts: string;
  readonly channel: string;
  readonly user: string;
  readonly text: string;
  readonly thread_ts?: string;
  /** `ephemeral`: only `ephemeral_to` sees it. */
  readonly subtype?: string;
  readonly ephemeral_to?: string;
  readonly blocks?: readonly SlackBlock[];
  readonly reactions?: readonly { readonly name: string; readonly users: readonly string[] }[];
}

interface SlackBlock {
  readonly type: string;
  readonly block_id?: string;
  readonly elements?: readonly SlackElement[];
  readonly accessory?: SlackElement;
  readonly [field: string]: unknown;
}

interface SlackElement {
  readonly type: string;
  readonly action_id?: string;
  readonly value?: string;
  readonly [field: string]: unknown;
}

/**
 * Acts as the people of the workspace. `message`, `command`, `press` and `editMessage` return
 * when the bot has acknowledged, at the latest after 5 seconds; they do not fail if it never does.
 */
export interface SlackControl {
  /** Posts as a user; with a user id as channel, in that user's direct messages with the bot. */
  message(message: {
    readonly channel: string;
    readonly user: string;
    readonly text: string;
    readonly threadTs?: string | undefined;
  }): Promise<SlackMessage>;
  /** Writes in the thread of a message. */
  reply(root: SlackMessage, text: string, user?: string): Promise<SlackMessage>;
  /** `/docs-agent <text>` */
  command(command: {
    readonly channel: string;
    readonly user: string;
    readonly text: string;
  }): Promise<unknown>;
  /** Presses the message's button with this action id; throws if there is none. */
  press(message: SlackMessage, actionId: string, user: string): Promise<unknown>;
  editMessage(message: SlackMessage, text: string): Promise<void>;
  /** All of the channel, replies and ephemeral messages included, oldest first. */
  messages(channel: string): Promise<readonly SlackMessage[]>;
  /** The root and its replies, oldest first. */
  thread(channel: string, rootTs: string): Promise<readonly SlackMessage[]>;
  /** The names of the reactions on the message now. */
  reactions(message: SlackMessage): Promise<readonly string[]>;
}

export function createSlackControl(url: string): SlackControl {
  const get = async <T>(path: string) => (await answerOf(await fetch(`${url}/_control/${path}`))) as T;
  const post = async <T>(path: string, body: unknown) =>
    (await answerOf(
      await fetch(`${url}/_control/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )) as T;
  const messages = async (channel: string) =>
    (await get<{ messages: SlackMessage[] }>(`messages/${channel}`)).messages;

  const message: SlackControl['message'] = async ({ channel, user, text, threadTs }) => {
    const body = { channel, user, text, ...(threadTs ? { thread_ts: threadTs } : {}) };
    return (await post<{ message: SlackMessage }>('message', body)).message;
  };
  return {
    message,
    reply: ({ channel, ts }, text, user = bob) => message({ channel, user, text, threadTs: ts }),
    command: async (command) => {
      await post('command', { ...command, command: '/docs-agent' });
    },
    press: async (message, actionId, user) => {
      const action = findAction(message, actionId);
      await post('interact', { channel: message.channel, messageTs: message.ts, user, action });
    },
    editMessage: async ({ channel, ts, user }, text) => {
      await post('edit-message', { channel, ts, user, text });
    },
    messages,
    thread: async (channel, rootTs) =>
      (await messages(channel)).filter(({ ts, thread_ts }) => ts === rootTs || thread_ts === rootTs),
    reactions: async ({ channel, ts }) => {
      const message = (await messages(channel)).find((candidate) => candidate.ts === ts);
      return (message?.reactions ?? []).map(({ name }) => name);
    },
  };
}

async function answerOf(response: Response): Promise<unknown> {
  if (!response.ok) throw new Error(`local Slack: ${response.status} ${await response.text()}`);
  return response.json();
}

function findAction(message: SlackMessage, actionId: string): unknown {
  const actions = (message.blocks ?? []).flatMap(({ block_id, elements = [], accessory }) =>
    [...elements, ...(accessory ? [accessory] : [])].map((element) => ({ ...element, block_id })),
  );
  const action = actions.find(({ action_id }) => action_id === actionId);
  if (!action) {
    const present = actions.flatMap(({ action_id }) => action_id ?? []).join(', ');
    throw new Error(`the message has no button "${actionId}"; it has: ${present || 'none'}`);
  }
  return action;
}
