import { afterEach } from 'vitest';
import { watches } from './invariants/watches.ts';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 24 || (major === 24 && minor < 16)) {
  throw new Error(
    `These tests need Node 24.16 or later; this is ${process.version}. ` +
      'Run "npm ci" and then "npm test": npm brings the right Node along on Linux.',
  );
}

afterEach(() => {
  for (const watch of watches) watch.verify();
});
