import { isNear } from '../jobs/requests/project.ts';
import type { Run } from './command.ts';

export interface Command {
  readonly usage: string;
  readonly summary: string;
  /** Loads the program behind it, which only runs on a Node that is new enough. */
  readonly load: () => Promise<Run>;
}

const commands: readonly Command[] = [
  {
    usage: 'start',
    summary: 'run the service (settings: see .env.example)',
    load: async () => (await import('./commands/start.ts')).start,
  },
  {
    usage: 'runner',
    summary: 'serve the agent API with an ACP agent in a git repository (settings: RUNNER_… in .env.example)',
    load: async () => (await import('./commands/runner.ts')).runner,
  },
  {
    usage: 'doctor [--json] [--probe-write]',
    summary: 'check settings, store, Slack and the agent API, and say what to do',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    usage: 'report [--since 7d] [--format table|csv|json]',
    summary: 'count the outcomes of recent requests, even while the service runs',
    load: async () => (await import('./commands/report.ts')).report,
  },
  {
    usage: 'audit [--since 7d] [--prompts]',
    summary: 'print who did what in recent days, one line of JSON each; with --prompts, also what they wrote',
    load: async () => (await import('./commands/audit.ts')).audit,
  },
  {
    usage: 'manifest [--url <address> [--oauth] [--socket]] [--agent] [--workflow] [--reactions]',
    summary: 'print the manifest of the Slack app: for HTTP with --url, else for Socket Mode',
    load: async () => (await import('./commands/manifest.ts')).manifest,
  },
  {
    usage: 'migrate',
    summary: "bring the store's schema up to date, as a start does",
    load: async () => (await import('./commands/migrate.ts')).migrate,
  },
  {
    usage: 'backup [<directory>] [--keep <number>]',
    summary:
      'back up the embedded store, even while the service runs; 7 backups are kept, in DATA_DIR/backups',
    load: async () => (await import('./commands/backup.ts')).backup,
  },
  {
    usage: 'copy-store --to <postgres://… | directory> | --to-file <path>',
    summary: 'copy the store of a stopped docs-agent to the other kind of database, and check every row',
    load: async () => (await import('./commands/copy-store.ts')).copyStore,
  },
  {
    usage: 'reencrypt-tokens',
    summary: 'encrypt the tokens of all workspaces again, with the first key of TOKEN_ENCRYPTION_KEY',
    load: async () => (await import('./commands/reencrypt-tokens.ts')).reencryptTokens,
  },
  {
    usage: 'forget --user U… | --channel C… [--team T…] [--yes]',
    summary: 'erase what the store holds about a person or a channel',
    load: async () => (await import('./commands/forget.ts')).forget,
  },
];

export function findCommand(name: string): Command | undefined {
  return commands.find((command) => nameOf(command) === name);
}

export function nearCommand(name: string): string | null {
  return near(name, [...commands.map(nameOf), '--help', '--version']);
}

/** As typed: `--json`. */
export function optionsOf({ usage }: Command): readonly string[] {
  return usage.match(/--[a-z-]+/g) ?? [];
}

export function near(typed: string, names: readonly string[]): string | null {
  const bare = (name: string) => name.replace(/^-+/, '');
  return names.find((name) => isNear(bare(typed), bare(name))) ?? null;
}

function nameOf({ usage }: Command): string {
  return usage.split(' ')[0] ?? '';
}

export const USAGE = `Usage: docs-agent <command>

${commands.map(lines).join('\n')}
  --help, --version
`;

export function usageOf(command: Command): string {
  return `Usage: docs-agent ${lines(command).trimStart()}`;
}

function lines({ usage, summary }: Command): string {
  return `  ${usage}\n      ${summary}\n`;
}
