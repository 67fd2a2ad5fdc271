#!/usr/bin/env node
import type { Environment } from './config/values.ts';

const USAGE = `Usage: docs-agent <command>

  start   run the service (settings: see .env.example)
  demo    try it in the browser, without a Slack workspace

  --help, --version
`;

/** From sysexits.h, so that a supervisor can tell a mistake from a crash. */
const EXIT_USAGE = 64;
const EXIT_CONFIG = 78;

const OLDEST_NODE = [24, 15] as const;

async function main(args: readonly string[], env: Environment): Promise<number> {
  const problem = nodeProblem(process.versions.node);
  if (problem !== null) {
    console.error(problem);
    return EXIT_CONFIG;
  }
  switch (args[0]) {
    case 'start':
      return start(env);
    case 'demo':
      return demo(env);
    case '--version':
      console.log(await version());
      return 0;
    case '--help':
    case undefined:
      console.log(USAGE);
      return 0;
    default:
      console.error(`There is no command "${args[0]}".\n\n${USAGE}`);
      return EXIT_USAGE;
  }
}

/** The rest of the program is loaded only after this check: it needs what older versions lack. */
function nodeProblem(nodeVersion: string): string | null {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return null;
  return (
    `docs-agent needs Node ${OLDEST_NODE.join('.')} or later, this is ${nodeVersion}. ` +
    'Run it through npm ("npm start"), which brings the right Node along on Linux, or install Node 24.'
  );
}

async function start(env: Environment): Promise<number> {
  const { parseConfig } = await import('./config.ts');
  const { readFileSync } = await import('node:fs');
  const { createService } = await import('./service.ts');
  const { runUntilSignal } = await import('./commands/start.ts');
  const { createLogger } = await import('./operations/logger.ts');
  const config = parseConfig(env, (path) => readFileSync(path, 'utf8'));
  const log = createLogger({ level: config.logLevel, pretty: process.stdout.isTTY === true });
  surviveRejections((reason) => log.error('unhandled_rejection', { error: reason }));
  return runUntilSignal(createService(config, { log }), process, log);
}

async function demo(env: Environment): Promise<number> {
  const { runDemo } = await import('./commands/demo.ts');
  surviveRejections((reason) => console.error('unhandled rejection', reason));
  return runDemo(env, process);
}

/** Slack's socket client rejects into nowhere when a stop races a reconnect; the work itself is in the store. */
function surviveRejections(report: (reason: unknown) => void): void {
  process.on('unhandledRejection', report);
}

async function version(): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  return version;
}

async function explain(error: unknown): Promise<number> {
  const { explainError } = await import('./commands/explain-error.ts');
  const { message, exitCode } = explainError(error);
  console.error(message);
  return exitCode;
}

process.exit(await main(process.argv.slice(2), process.env).catch(explain));
