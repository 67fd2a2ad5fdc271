import { type Browser, chromium } from 'playwright-core';
import { onPath } from '../../../demo/local-slack/find.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const PROGRAMS = ['chromium', 'google-chrome'];

/** What to tell somebody whose machine has no browser for the tests. */
export const whereToGetChromium =
  'There is no Chromium on this machine. Install it (on Debian: apt-get install chromium), or set CHROMIUM_BIN ' +
  'to the path of Chromium or Chrome.';

/** `CHROMIUM_BIN` as it is set, else the Chromium or Chrome on the `PATH`, else null. */
export function findChromium({ CHROMIUM_BIN: chosen, PATH: path = '' }: Environment): string | null {
  return chosen || onPath(path, ...PROGRAMS);
}

/** A browser without a window, with a fresh profile. */
export function launchBrowser(executablePath: string): Promise<Browser> {
  // Machines for tests have no graphics card, and often a network that takes no QUIC.
  return chromium.launch({ executablePath, args: ['--disable-gpu', '--disable-quic'] });
}
