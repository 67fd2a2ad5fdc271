import { Document, Scalar } from 'yaml';
import { ASK_SHORTCUT_ID, EVENTS_PATH, OAUTH_REDIRECT_PATH, STEP_ID } from './protocol/ids.ts';
import {
  agentEvents,
  agentScopes,
  botEvents,
  botScopes,
  emailScopes,
  oauthEvents,
  optionalReactionScopes,
  reactionEvents,
  reactionScopes,
  type Scope,
  workflowEvents,
} from './protocol/scopes.ts';
import { labels } from './views/text.ts';

const AGENT_VIEW = {
  agent_description: 'Ask for a documentation change, and get the pull request in the thread.',
  suggested_prompts: [
    { title: 'Write a page', message: 'Add a quickstart for our API' },
    { title: 'Explain something better', message: 'Explain the rate limits, with an example' },
    { title: 'Correct a page', message: 'The page about webhooks shows an old signature' },
    { title: 'Bring a page up to date', message: 'Check the installation page against the last release' },
  ],
};

export type ManifestOptions = Readonly<{
  /** HTTP mode; without a trailing slash. Null: Socket Mode. */
  url: string | null;
  /** For other workspaces. Null: installed in one, by hand. */
  oauth: { readonly url: string } | null;
  isAgent?: boolean;
  /** Not with `oauth`: Slack does not distribute apps with steps. */
  hasWorkflowStep?: boolean;
  hasReactions?: boolean;
}>;

export function manifestYaml(options: ManifestOptions): string {
  const document = new Document(manifest(options));
  document.commentBefore = comment(introduction(options));
  return document.toString({ lineWidth: 0 });
}

function manifest({ url, oauth, isAgent, hasWorkflowStep, hasReactions }: ManifestOptions): object {
  const address = url === null ? undefined : url + EVENTS_PATH;
  const scopes = [...botScopes, ...(isAgent ? agentScopes : []), ...(hasReactions ? reactionScopes : [])];
  const events = [
    ...botEvents,
    ...(isAgent ? agentEvents : []),
    ...(hasReactions ? reactionEvents : []),
    ...(oauth === null ? [] : oauthEvents),
    ...(hasWorkflowStep ? workflowEvents : []),
  ];
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
          url: address,
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
      agent_view: isAgent ? AGENT_VIEW : undefined,
    },
    oauth_config: {
      redirect_urls: oauth === null ? undefined : [oauth.url + OAUTH_REDIRECT_PATH],
      scopes: {
        bot: explained(scopes),
        bot_optional: explained([...emailScopes, ...(hasReactions ? optionalReactionScopes : [])]),
      },
    },
    functions: hasWorkflowStep ? workflowStep : undefined,
    settings: {
      event_subscriptions: { request_url: address, bot_events: events },
      interactivity: { is_enabled: true, request_url: address },
      org_deploy_enabled: oauth !== null || hasWorkflowStep === true,
      function_runtime: hasWorkflowStep ? 'remote' : undefined,
      socket_mode_enabled: url === null,
      token_rotation_enabled: false,
    },
  };
}

function explained(scopes: readonly Scope[]) {
  return scopes.map(({ name, without }) =>
    Object.assign(new Scalar(name), { commentBefore: comment([`without it: ${without}`]) }),
  );
}

function introduction({ url, oauth }: ManifestOptions) {
  const install =
    oauth === null
      ? 'Install the app to the workspace: "Bot User OAuth Token" is SLACK_BOT_TOKEN.'
      : 'Client ID and Client Secret ("Basic Information") are SLACK_CLIENT_ID and SLACK_CLIENT_SECRET.';
  if (url !== null) {
    return [
      'For HTTP mode: while docs-agent runs, put this in place of the manifest for Socket Mode ("App Manifest").',
      'SLACK_SIGNING_SECRET is in "Basic Information".',
      install,
    ];
  }
  return [
    'Create the app at https://api.slack.com/apps ("From a manifest").',
    'Make an app-level token ("Basic Information") with the scope connections:write: it is SLACK_APP_TOKEN.',
    install,
  ];
}

function comment(lines: readonly string[]) {
  return lines.map((line) => ` ${line}`).join('\n');
}

function parameter(type: string, title: string, description: string) {
  return { type, title, description };
}

/** Inputs and outputs are named as in the event. */
const workflowStep = {
  [STEP_ID]: {
    title: 'Ask docs-agent',
    description: 'Ask for a documentation change',
    input_parameters: {
      properties: {
        request: parameter('string', 'Request', 'What should change in the documentation'),
        channel: parameter(
          'slack#/types/channel_id',
          'Channel',
          'Where the card is posted; docs-agent must be in it',
        ),
        project: parameter('string', 'Project', 'Its name; leave empty for the project of the channel'),
        person: parameter(
          'slack#/types/user_context',
          'Person',
          'Who asks: the person who started the workflow',
        ),
        draft: parameter('boolean', 'As a draft', 'Nothing goes to the agent before somebody presses Start'),
        wait: parameter(
          'boolean',
          'Wait until it is done',
          'The workflow continues once there is a pull request',
        ),
      },
      required: ['request', 'channel'],
    },
    output_parameters: {
      properties: {
        thread: parameter('string', 'Thread', 'The address of the thread'),
        state: parameter('string', 'State', 'started or draft; after waiting, pull_request or done'),
        pull_request: parameter('string', 'Pull request', 'Its address, if there is one by then'),
      },
      required: ['thread', 'state'],
    },
  },
};
