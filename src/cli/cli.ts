#!/usr/bin/env node
import { EXIT_CONFIG, EXIT_USAGE, type Host } from './command.ts';
import { type Command, commands, near, USAGE, usageOf } from './table.ts';

const OLDEST_NODE = [24, 16] as const;

async function main([name, ...args]: readonly string[], host: Host) {
  const problem = nodeProblem(process.versions.node);
  if (problem !== null) {
    console.error(problem);
    return EXIT_CONFIG;
  }
  if (name === undefined || name === '--help' || name === 'help') {
    console.log(USAGE);
    return 0;
  }
  if (name === '--version') {
    const { version } = await import('#app/operations/metrics.ts');
    console.log(version);
    return 0;
  }
  const command = commands.get(name);
  if (command === undefined) {
    const meant = near(name, [...commands.keys(), '--help', '--version']);
    const hint = meant === null ? `\n\n${USAGE}` : ` Did you mean docs-agent ${meant}?`;
    console.error(`There is no command "${name}".${hint}`);
    return EXIT_USAGE;
  }
  if (args.includes('--help')) {
    console.log(usageOf(name, command));
    return 0;
  }
  // Loaded late, since it needs features that older Nodes lack.
  const run = await command.load();
  return run(args, host).catch((error) => explain(error, name, command));
}

function nodeProblem(nodeVersion: string) {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return null;
  return (
    `docs-agent needs Node ${OLDEST_NODE.join('.')} or later; this is ${nodeVersion}. ` +
    'Run it through npm ("npm start"), which brings the right Node along on Linux, or install Node 24.'
  );
}

async function explain(error: unknown, name: string, command: Command) {
  const { explainError } = await import('./explain-error.ts');
  const { message, exitCode } = explainError(error, name, command.args?.match(/--[a-z-]+/g) ?? []);
  console.error(message);
  if (exitCode === EXIT_USAGE) console.error(`\n${usageOf(name, command)}`);
  return exitCode;
}

process.exit(await main(process.argv.slice(2), { env: process.env, process, now: Date.now }));
