#!/usr/bin/env node
import { EXIT_CONFIG, EXIT_USAGE, type Host } from './command.ts';
import { commands, near, USAGE, usageOf } from './table.ts';

const OLDEST_NODE = '24.16';

async function main([name, ...args]: readonly string[], host: Host) {
  const { node } = process.versions;
  if (node.localeCompare(OLDEST_NODE, 'en', { numeric: true }) < 0) {
    console.error(
      `docs-agent needs Node ${OLDEST_NODE} or later; this is ${node}. ` +
        'Run it through npm ("npm start"), which brings the right Node along on Linux, or install Node 24.',
    );
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
    console.log(usageOf(name));
    return 0;
  }
  // Loaded late, since it needs features that older Nodes lack.
  const run = await command.load();
  return run(args, host).catch(async (error) => {
    const { explainError } = await import('./explain-error.ts');
    const { message, exitCode } = explainError(error, name);
    console.error(message);
    if (exitCode === EXIT_USAGE) console.error(`\n${usageOf(name)}`);
    return exitCode;
  });
}

process.exit(await main(process.argv.slice(2), { env: process.env, now: Date.now }));
