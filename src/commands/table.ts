import type { Run } from './command.ts';

export interface Command {
  /** Its name, and what may follow. */
  readonly usage: string;
  readonly summary: string;
  /** The program behind it, which only runs on a Node that is new enough. */
  readonly load: () => Promise<Run>;
}

const commands: readonly Command[] = [
  {
    usage: 'start',
    summary: 'run the service (settings: see .env.example)',
    load: async () => (await import('./start.ts')).start,
  },
  {
    usage: 'demo',
    summary: 'try it in the browser, without a Slack workspace',
    load: async () => (await import('./demo.ts')).demo,
  },
];

export function findCommand(name: string): Command | undefined {
  return commands.find(({ usage }) => usage.split(' ')[0] === name);
}

const LONGEST = Math.max(...commands.map(({ usage }) => usage.length));

export const USAGE = `Usage: docs-agent <command>

${commands.map(({ usage, summary }) => `  ${usage.padEnd(LONGEST)}  ${summary}`).join('\n')}

  --help, --version
`;

export function usageOf({ usage, summary }: Command): string {
  return `Usage: docs-agent ${usage}\n\n  ${summary}\n`;
}
