import { z } from 'zod';
import type { SettingProblem, Step } from '#features/feature.ts';
import type { ChannelRules } from '#jobs/policy.ts';
import { noSuchProjectWords } from '#jobs/requests/command.ts';
import { app, channel, isOwnEmoji, team, user, userGroup } from '#slack/protocol/ids.ts';
import { features } from '../features.ts';
import { argumentList, duration, word as oneWord, repository } from './checks.ts';

/** Limits of Slack's menus. */
const IN_MENU_MAX = 75;
const PROJECTS_MAX = 100;
/** Limit of the channel settings form. */
const NOTICE_CHANNELS_MAX = 10;

const shown = (form: RegExp, message: string) =>
  z.string().regex(form, message).max(IN_MENU_MAX, `must have at most ${IN_MENU_MAX} characters`);

const word = shown(/^[\p{L}\p{N}._-]+$/u, 'must be one word of letters, digits, ".", "_" and "-"');

const project = z.strictObject({
  id: shown(/^\S+$/, 'must be the id of a project, without white space'),
  name: word.optional(),
  api_key_env: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, 'must be the name of an environment variable, not the key itself')
    .optional(),
  notice_channels: z.array(channel).default([]),
  repository: repository.optional(),
  branch: oneWord.optional(),
  command: argumentList.optional(),
  paths: z.array(z.string()).optional(),
});

const emoji = z
  .string()
  .regex(/^(?:[\p{L}\p{N}_+'-]+|:[\p{L}\p{N}_+'-]+:)$/u, 'must be the name of an emoji, such as memo')
  .transform((given) => given.replaceAll(':', ''))
  .refine((name) => !isOwnEmoji(name), 'is an emoji that docs-agent itself adds to messages: choose another');

const channelDefaults = z
  .strictObject({
    project: word.optional(),
    notice_channels: z
      .array(channel)
      .max(NOTICE_CHANNELS_MAX, `must be at most ${NOTICE_CHANNELS_MAX}`)
      .optional(),
    follow_ups: z.enum(['every_reply', 'mentions'], 'must be every_reply or mentions').optional(),
    follow_up_window: duration('0', '10m').optional(),
    reaction: emoji.optional(),
    approvers: z.array(user).min(1, 'must name at least one person').optional(),
  })
  .transform(
    (given): ChannelRules => ({
      projectName: given.project,
      noticeChannels: given.notice_channels,
      followUpMode: given.follow_ups,
      followUpWindowMs: given.follow_up_window,
      reaction: given.reaction,
      approvers: given.approvers,
    }),
  );

const setOf = (item: z.ZodString) =>
  z
    .array(item)
    .transform((items): ReadonlySet<string> => new Set(items))
    .prefault([]);

const access = z
  .strictObject({
    users: setOf(user),
    user_groups: setOf(userGroup),
    channels: setOf(channel),
    shared_channels: setOf(channel),
    guests: z.boolean().default(false),
    other_workspaces: z.boolean().default(false),
    bots: setOf(app),
  })
  .transform(({ user_groups, shared_channels, other_workspaces, ...rest }) => ({
    ...rest,
    userGroups: user_groups,
    sharedChannels: shared_channels,
    otherWorkspaces: other_workspaces,
  }));

const featureSettings: object = Object.assign({}, ...features.map(({ settings }) => settings));

/** Top-level keys of a single workspace. */
const workspaceParts = {
  channels: z
    .record(channel, channelDefaults)
    .transform((byId): ReadonlyMap<string, ChannelRules> => new Map(Object.entries(byId)))
    .prefault({}),
  access: access.prefault({}),
  admins: setOf(user),
  ...featureSettings,
};

const workspace = z.strictObject({
  projects: z.array(word).min(1, 'must name at least one project'),
  notice_channels: z.array(channel).default([]),
  ...workspaceParts,
});

export const configFile = z.strictObject({
  projects: z.array(project).max(PROJECTS_MAX, `must be at most ${PROJECTS_MAX}`).default([]),
  ...workspaceParts,
  workflows: z.strictObject({ channels: setOf(channel) }).prefault({}),
  workspaces: z.record(team, workspace).default({}),
});

export type ConfigFile = z.infer<typeof configFile>;

const namedProject = project.pick({ id: true, api_key_env: true, repository: true }).strip();

export type Named = ReturnType<typeof namedIn>;

/** Reads what an invalid file names, too: secrets, and whether there are repositories. */
export function namedIn(given: object) {
  const { projects, workspaces } = given as Readonly<Record<string, unknown>>;
  const listed = Array.isArray(projects) ? projects : [];
  const places = [given, ...Object.values(Object(workspaces))].map(Object);
  return {
    projects: listed.flatMap((item) => namedProject.safeParse(item).data ?? []),
    ofFeatures: features.flatMap(({ secrets }) => places.flatMap((place) => secrets?.(place) ?? [])),
  };
}

function wrong(message: string, ...path: readonly Step[]): SettingProblem {
  return { path, message };
}

/** @param given top-level keys */
export function* contradictions(
  file: ConfigFile,
  given: readonly string[],
  isOauth: boolean,
): Generator<SettingProblem> {
  const { projects, workspaces } = file;
  yield* twiceIn(projects);
  const names = projects.map(({ id, name }) => name ?? id);
  yield* contradictionsIn(file, names, [], []);
  const earlier: object[] = [];
  for (const [team, workspace] of Object.entries(workspaces)) {
    const own = workspace.projects;
    for (const [index, name] of own.entries()) {
      const place = ['workspaces', team, 'projects', index];
      if (!names.includes(name)) yield wrong(noSuchProjectWords(names), ...place);
      if (own.indexOf(name) < index) yield wrong('is named twice', ...place);
    }
    yield* contradictionsIn(workspace, own, earlier, ['workspaces', team]);
    earlier.push(workspace);
  }
  yield* misplaced(projects, given, isOauth);
}

function* twiceIn(projects: ConfigFile['projects']): Generator<SettingProblem> {
  const ids = projects.map(({ id }) => id);
  const lowered = projects.map(({ id, name }) => (name ?? id).toLowerCase());
  for (const [index, id] of ids.entries()) {
    const first = ids.indexOf(id);
    if (first < index) yield wrong(`is the same as in projects[${first}]`, 'projects', index, 'id');
  }
  for (const [index, name] of lowered.entries()) {
    const key = projects[index]?.name === undefined ? 'id' : 'name';
    if (lowered.indexOf(name) < index)
      yield wrong('is also the name of another project', 'projects', index, key);
  }
}

/** Checks what the runner reads. */
export function* runnerContradictions(
  projects: ConfigFile['projects'],
  defaults: { readonly RUNNER_REPOSITORY: unknown; readonly RUNNER_COMMAND: unknown },
): Generator<SettingProblem> {
  yield* twiceIn(projects);
  for (const [index, { repository, command, api_key_env: key }] of projects.entries()) {
    const problem = (name: string, message: string) => wrong(message, 'projects', index, name);
    if ((repository ?? defaults.RUNNER_REPOSITORY) === undefined)
      yield problem('repository', 'is missing: set it, or RUNNER_REPOSITORY for all projects');
    if ((command ?? defaults.RUNNER_COMMAND) === undefined)
      yield problem('command', 'is missing: set it, or RUNNER_COMMAND for all projects');
    if (key !== undefined)
      yield problem('api_key_env', 'does not go with the runner: RUNNER_API_KEY is its only key');
  }
}

function* contradictionsIn(
  parts: Pick<ConfigFile, 'channels'>,
  projects: readonly string[],
  earlier: readonly object[],
  place: readonly Step[],
): Generator<SettingProblem> {
  for (const [channel, { projectName }] of parts.channels) {
    if (projectName === undefined || projects.includes(projectName)) continue;
    yield wrong(noSuchProjectWords(projects), ...place, 'channels', channel, 'project');
  }
  for (const { contradictions: own } of features) {
    for (const { message, path } of own?.(parts, projects, earlier) ?? [])
      yield wrong(message, ...place, ...path);
  }
}

function* misplaced(
  projects: ConfigFile['projects'],
  given: readonly string[],
  isOauth: boolean,
): Generator<SettingProblem> {
  if (!isOauth) {
    if (!given.includes('workspaces')) return;
    yield wrong(
      'needs the OAuth settings (SLACK_CLIENT_ID and others): a bot token belongs to one workspace',
      'workspaces',
    );
    return;
  }
  if (given.includes('workflows')) {
    yield wrong(
      'does not work with OAuth: Slack allows workflow steps only in apps of one workspace or organisation',
      'workflows',
    );
  }
  const elsewhere = (key: string, ...place: readonly Step[]) =>
    wrong(`belongs under workspaces.T….${key}: with OAuth there may be many workspaces`, ...place, key);
  for (const key of Object.keys(workspaceParts)) if (given.includes(key)) yield elsewhere(key);
  for (const [index, { notice_channels: channels }] of projects.entries()) {
    if (channels.length > 0) yield elsewhere('notice_channels', 'projects', index);
  }
}
