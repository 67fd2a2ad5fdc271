import { Document, isMap, isNode } from 'yaml';
import { ASK_SHORTCUT_ID, EVENTS_PATH, OAUTH_REDIRECT_PATH, STEP_ID } from './protocol/ids.ts';
import {
  agentScopes,
  botEvents,
  botScopes,
  type ManifestEntry,
  oauthEvents,
  optionalReactionScopes,
  reactionEvents,
  reactionScopes,
  workflowEvents,
} from './protocol/scopes.ts';
import { labels } from './views/parts/words.ts';

/** Of at most 104 characters, unless one word is longer. */
const LINES = /\S{105,}|\S.{0,103}(?= |$)/g;
/** Slack's manifest schema has no place for it. */
const ICON =
  'The icon is not part of a manifest: set docs/images/icon.png in "Basic Information", "Display Information".';

/** What people see of an agent before they write to it. */
const AGENT_VIEW = {
  agent_description: 'Ask for a documentation change, and get the pull request in the thread.',
  suggested_prompts: [
    { title: 'Write a page', message: 'Add a quickstart for our API' },
    { title: 'Explain something better', message: 'Explain the rate limits, with an example' },
    { title: 'Correct a page', message: 'The page about webhooks shows an old signature' },
    { title: 'Bring a page up to date', message: 'Check the installation page against the last release' },
  ],
};

export interface ManifestOptions {
  /** The public URL without a trailing slash: HTTP mode. Null: Socket Mode. */
  readonly url: string | null;
  /** How other workspaces install the app; null: it is installed in one, by hand. */
  readonly oauth: { readonly url: string } | null;
  readonly isAgent?: boolean;
  /** Adds the workflow step "Ask docs-agent". Not with `oauth`: Slack does not distribute such apps. */
  readonly hasWorkflowStep?: boolean;
  /** An emoji makes drafts in some channel. */
  readonly hasReactions?: boolean;
}

type Path = readonly (string | number)[];

/** The Slack app's manifest, as YAML that explains each part. */
export function manifestYaml(options: ManifestOptions): string {
  const document = new Document(manifest(options));
  for (const [isThere, path, comment] of comments(options)) {
    if (isThere) commentAt(document, path, comment);
  }
  document.commentBefore = wrapped(introduction(options));
  return document.toString({ lineWidth: 0 });
}

function manifest(options: ManifestOptions): object {
  const { url, oauth } = options;
  const address = url === null ? null : url + EVENTS_PATH;
  const requestUrl = address === null ? {} : { request_url: address };
  return {
    _metadata: { major_version: 2 },
    display_information: {
      name: 'Docs Agent',
      description: 'Ask for a documentation change, steer it by replying, get the pull request.',
      background_color: '#1d1c1d',
    },
    features: {
      app_home: {
        home_tab_enabled: true,
        messages_tab_enabled: true,
        messages_tab_read_only_enabled: false,
      },
      bot_user: { display_name: 'docs-agent', always_online: true },
      slash_commands: [
        {
          command: '/docs-agent',
          ...(address === null ? {} : { url: address }),
          description: 'Ask for a documentation change',
          usage_hint: '[what should change in the docs]',
          should_escape: true,
        },
      ],
      shortcuts: [
        {
          name: labels.askDocsAgent,
          type: 'message',
          callback_id: ASK_SHORTCUT_ID,
          description: 'Ask for a documentation change about this message',
        },
      ],
      ...(options.isAgent ? { agent_view: AGENT_VIEW } : {}),
    },
    oauth_config: {
      ...(oauth === null ? {} : { redirect_urls: [oauth.url + OAUTH_REDIRECT_PATH] }),
      scopes: {
        bot: names(scopesOf(options)),
        ...(options.hasReactions ? { bot_optional: names(optionalReactionScopes) } : {}),
      },
    },
    ...(options.hasWorkflowStep ? { functions: workflowStep } : {}),
    settings: {
      event_subscriptions: { ...requestUrl, bot_events: names(eventsOf(options)) },
      interactivity: { is_enabled: true, ...requestUrl },
      org_deploy_enabled: oauth !== null || options.hasWorkflowStep === true,
      ...(options.hasWorkflowStep ? { function_runtime: 'remote' } : {}),
      socket_mode_enabled: url === null,
      token_rotation_enabled: false,
    },
  };
}

/** What to say above a part, if the manifest has it. */
function comments(options: ManifestOptions): (readonly [isThere: boolean, path: Path, comment: string])[] {
  const { isAgent = false, hasWorkflowStep = false, hasReactions = false, oauth } = options;
  const reasons = (isThere: boolean, path: Path, entries: readonly ManifestEntry[]) =>
    entries.map(({ reason }, index) => [isThere, [...path, index], reason] as const);
  return [
    [
      true,
      ['features', 'app_home', 'messages_tab_enabled'],
      'A direct message starts a job. Private answers go there, too, when Slack no longer takes them in the channel.',
    ],
    [
      true,
      ['features', 'slash_commands', 0, 'should_escape'],
      'Mentions and links arrive as ids and addresses, not as look-alike text.',
    ],
    [
      isAgent,
      ['features', 'agent_view'],
      'The app is an agent: each direct message to it is a thread of its own, and Slack shows how each job stands.',
    ],
    ...reasons(true, ['oauth_config', 'scopes', 'bot'], scopesOf(options)),
    ...reasons(hasReactions, ['oauth_config', 'scopes', 'bot_optional'], optionalReactionScopes),
    ...reasons(true, ['settings', 'event_subscriptions', 'bot_events'], eventsOf(options)),
    [
      hasWorkflowStep,
      ['functions'],
      'A step of workflows. Where nobody starts the workflow, leave the person empty.',
    ],
    [
      hasWorkflowStep,
      ['settings', 'org_deploy_enabled'],
      'Slack requires it of every app with a step of workflows.',
    ],
    [
      hasWorkflowStep,
      ['settings', 'function_runtime'],
      'The step is carried out by the program, not by Slack.',
    ],
    [
      oauth !== null,
      ['settings', 'org_deploy_enabled'],
      'An administrator of an Enterprise Grid may install it for the whole organisation.',
    ],
  ];
}

function introduction({ url, oauth }: ManifestOptions): string[] {
  const install =
    oauth === null
      ? 'Install the app to the workspace: "Bot User OAuth Token" is SLACK_BOT_TOKEN.'
      : 'Client ID and Client Secret ("Basic Information") are SLACK_CLIENT_ID and SLACK_CLIENT_SECRET.';
  return url === null
    ? [
        `The Slack app. Create it at https://api.slack.com/apps ("From a manifest"). This is for Socket Mode: ${
          oauth === null
            ? 'no public address is needed.'
            : `only the person who installs the app opens ${oauth.url}, in a browser.`
        }`,
        'Make an app-level token ("Basic Information") with the scope connections:write: it is SLACK_APP_TOKEN.',
        install,
        ICON,
      ]
    : [
        `The Slack app, for HTTP mode: Slack calls ${url}, and checks the address when you save.`,
        'So create the app (https://api.slack.com/apps, "From a manifest") with the one for Socket Mode.',
        'SLACK_SIGNING_SECRET is in "Basic Information". While docs-agent runs, put this manifest in place of the first ("App Manifest").',
        install,
        ICON,
      ];
}

function scopesOf({ isAgent, hasReactions }: ManifestOptions): readonly ManifestEntry[] {
  return [...botScopes, ...(isAgent ? agentScopes : []), ...(hasReactions ? reactionScopes : [])];
}

function eventsOf({ oauth, hasReactions, hasWorkflowStep }: ManifestOptions): readonly ManifestEntry[] {
  return [
    ...botEvents,
    ...(hasReactions ? reactionEvents : []),
    ...(oauth === null ? [] : oauthEvents),
    ...(hasWorkflowStep ? workflowEvents : []),
  ];
}

function names(entries: readonly ManifestEntry[]): string[] {
  return entries.map(({ name }) => name);
}

/** Above a key of a map or an item of a list. */
function commentAt(document: Document, path: Path, comment: string): void {
  const parent = document.getIn(path.slice(0, -1), true);
  const node = isMap(parent)
    ? parent.items.find(({ key }) => String(key) === path.at(-1))?.key
    : document.getIn(path, true);
  if (isNode(node)) node.commentBefore = wrapped([comment]);
}

/** Lines of whole words, each with a blank in front. */
function wrapped(paragraphs: readonly string[]): string {
  const lines = paragraphs.flatMap((paragraph) => paragraph.match(LINES) ?? []);
  return lines.map((line) => ` ${line}`).join('\n');
}

/** The workflow step in Slack's manifest format. Inputs and outputs are named as in the event. */
const workflowStep = {
  [STEP_ID]: {
    title: 'Ask docs-agent',
    description: 'Ask for a documentation change',
    input_parameters: {
      properties: {
        request: {
          type: 'string',
          title: 'Request',
          description: 'What should change in the documentation',
        },
        channel: {
          type: 'slack#/types/channel_id',
          title: 'Channel',
          description: 'Where the card is posted; docs-agent must be in it',
        },
        project: {
          type: 'string',
          title: 'Project',
          description: 'Its name; leave empty for the project of the channel',
        },
        person: {
          type: 'slack#/types/user_context',
          title: 'Person',
          description: 'Who asks: the person who started the workflow',
        },
        draft: {
          type: 'boolean',
          title: 'As a draft',
          description: 'Nothing goes to the agent before somebody presses Start',
        },
        wait: {
          type: 'boolean',
          title: 'Wait until it is done',
          description: 'The workflow continues once there is a pull request',
        },
      },
      required: ['request', 'channel'],
    },
    output_parameters: {
      properties: {
        thread: { type: 'string', title: 'Thread', description: 'The address of the thread' },
        state: {
          type: 'string',
          title: 'State',
          description: 'started or draft; after waiting, pull_request or done',
        },
        pull_request: {
          type: 'string',
          title: 'Pull request',
          description: 'Its address, if there is one by then',
        },
      },
      required: ['thread', 'state'],
    },
  },
};
