import { isNear } from '#jobs/requests/command.ts';
import type { Run } from './command.ts';

export type Command = Readonly<{
  args?: string;
  summary: string;
  /** The command's module needs a recent Node. */
  load: () => Promise<Run>;
}>;

export const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries<Command>({
    start: {
      summary: 'run the service (settings: see .env.example)',
      load: async () => (await import('./commands/start.ts')).start,
    },
    runner: {
      summary:
        'serve the agent API with an ACP agent in a git repository (settings: RUNNER_… in .env.example)',
      load: async () => (await import('./commands/runner.ts')).runner,
    },
    doctor: {
      args: '[--json] [--probe-write]',
      summary: 'check settings, store, Slack and the agent API, and say what to do',
      load: async () => (await import('./commands/doctor.ts')).doctor,
    },
    report: {
      args: '[--since 7d] [--format table|csv|json]',
      summary: 'count the outcomes of recent requests, even while the service runs',
      load: async () => (await import('./commands/report.ts')).report,
    },
    audit: {
      args: '[--since 7d] [--prompts]',
      summary:
        'print who did what in recent days, one line of JSON each; with --prompts, also what they wrote',
      load: async () => (await import('./commands/report.ts')).audit,
    },
    manifest: {
      args: '[--url <address> [--oauth] [--socket]] [--agent] [--workflow] [--reactions]',
      summary: 'print the manifest of the Slack app: for HTTP with --url, else for Socket Mode',
      load: async () => (await import('./commands/manifest.ts')).manifest,
    },
    migrate: {
      summary: "bring the store's schema up to date, as a start does",
      load: async () => (await import('./commands/store.ts')).migrate,
    },
    backup: {
      args: '[<directory>] [--keep <number>]',
      summary:
        'back up the embedded store, even while the service runs; 7 backups are kept, in DATA_DIR/backups',
      load: async () => (await import('./commands/store.ts')).backup,
    },
    'copy-store': {
      args: '--to <postgres://… | directory> | --to-file <path>',
      summary: 'copy the store of a stopped docs-agent to the other kind of database, and check every row',
      load: async () => (await import('./commands/store.ts')).copyStore,
    },
    'reencrypt-tokens': {
      summary: 'encrypt the tokens of all workspaces again, with the first key of TOKEN_ENCRYPTION_KEY',
      load: async () => (await import('./commands/store.ts')).reencryptTokens,
    },
    forget: {
      args: '--user U… | --channel C… [--team T…] [--yes]',
      summary: 'erase what the store holds about a person or a channel',
      load: async () => (await import('./commands/store.ts')).forget,
    },
  }),
);

export function near(typed: string, names: readonly string[]): string | null {
  const bare = (name: string) => name.replace(/^-+/, '');
  return names.find((name) => isNear(bare(typed), bare(name))) ?? null;
}

export function optionsOf(name: string): readonly string[] {
  return commands.get(name)?.args?.match(/--[a-z-]+/g) ?? [];
}

function lines(name: string) {
  const { args, summary } = commands.get(name) ?? {};
  return `${name}${args === undefined ? '' : ` ${args}`}\n      ${summary}\n`;
}

export function usageOf(name: string): string {
  return `Usage: docs-agent ${lines(name)}`;
}

export const USAGE = `Usage: docs-agent <command>

${[...commands.keys()].map((name) => `  ${lines(name)}`).join('\n')}
  --help, --version
`;
