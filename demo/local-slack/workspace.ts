/** The people, channels and the delivery mode of a local Slack. */
export interface LocalWorkspace {
  readonly users: readonly LocalUser[];
  readonly channels: readonly LocalChannel[];
  readonly app: { readonly mode: 'socket' } | { readonly mode: 'events'; readonly requestUrl: string };
}

interface LocalUser {
  /** Starts with `U`. */
  readonly id: string;
  readonly name: string;
  readonly realName: string;
}

interface LocalChannel {
  /** Starts with `C`. */
  readonly id: string;
  readonly name: string;
  /** User ids. The app gets a channel's messages only if `localApp.botUserId` is among them. */
  readonly members: readonly string[];
}

/** The app's identity in every local Slack. The tokens are valid nowhere else. */
export const localApp = {
  teamId: 'T0LOCAL',
  appId: 'A0DOCSAGENT',
  botUserId: 'U0DOCSAGENT',
  botToken: 'xoxb-local-slack',
  appToken: 'xapp-local-slack',
  signingSecret: 'local-slack-signing-secret',
} as const;

const docs = 'C0DOCS';
const docsChanges = 'C0CHANGES';
const random = 'C0RANDOM';
const people = [
  { id: 'U0ALICE', name: 'alice', realName: 'Alice Anderson' },
  { id: 'U0BOB', name: 'bob', realName: 'Bob Brown' },
] as const satisfies readonly LocalUser[];
const everybody = [...people.map(({ id }) => id), localApp.botUserId];

/** The demo's people and channels, one of them without the bot, and the channel that gets its notices. */
export const demoWorkspace = {
  users: people,
  channels: [
    { id: docs, name: 'docs', members: everybody },
    { id: docsChanges, name: 'docs-changes', members: everybody },
    { id: random, name: 'random', members: people.map(({ id }) => id) },
  ],
  channelsWithoutBot: [random],
  app: { mode: 'socket' },
  noticeChannel: docsChanges,
} as const satisfies LocalWorkspace & {
  readonly noticeChannel: string;
  readonly channelsWithoutBot: readonly string[];
};

/** The workspace in local-slack's own configuration format. */
export function toConfigFile({ users, channels, app }: LocalWorkspace): string {
  const { teamId, ...identity } = localApp;
  return JSON.stringify({
    workspace: { name: 'Local Slack', domain: 'local-slack', teamId },
    app: { ...identity, ...app, botName: 'docs-agent' },
    users: users.map(({ realName, ...user }) => ({ ...user, real_name: realName })),
    channels,
  });
}
