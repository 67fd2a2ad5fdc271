import { createRequire } from 'node:module';
import { onPath } from '../on-path.ts';

/** What to tell somebody whose machine has no local Slack. */
export const whereToGetLocalSlack =
  'There is no local Slack on this machine. Run "npm install local-slack", which brings it for Linux and ' +
  'macOS, or set LOCAL_SLACK_BIN to the path of a local-slack binary (https://github.com/parvalabs/local-slack).';

/** The parts of the machine that the search depends on. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
  /** The path of a file in an installed npm package, or null. */
  readonly resolve: (specifier: string) => string | null;
}

const thisMachine: Machine = {
  platform: process.platform,
  arch: process.arch,
  resolve: (specifier) => {
    try {
      return createRequire(import.meta.url).resolve(specifier);
    } catch {
      return null;
    }
  },
};

/**
 * The path of the local Slack: `LOCAL_SLACK_BIN` as it is set, else the npm package for this platform, else
 * `local-slack` on the `PATH`, else null (then show `whereToGetLocalSlack`).
 */
export function findLocalSlack(
  env: Readonly<Record<string, string | undefined>>,
  machine: Machine = thisMachine,
): string | null {
  const { LOCAL_SLACK_BIN: chosen, PATH: path = '' } = env;
  if (chosen) return chosen;
  const packaged = machine.resolve(`local-slack-${machine.platform}-${machine.arch}/bin/local-slack`);
  return packaged ?? onPath(path, 'local-slack');
}
