import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

/** What to say on a machine without a local Slack. */
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

/** The first of these programs that is in a folder of the `PATH`, or null. */
export function onPath(path: string, ...programs: readonly string[]): string | null {
  const folders = path.split(delimiter);
  const candidates = programs.flatMap((program) => folders.map((folder) => join(folder, program)));
  return candidates.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
