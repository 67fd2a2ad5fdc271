import { openStore } from '../../src/store/open.ts';

// A process of its own: writes numbers, many at a time, and prints each once the store says that it has it. Its
// argument is the directory.
const [, , dataDir = ''] = process.argv;
const AT_ONCE = 32;

const store = await openStore({ dataDir });
let last = 0;
async function writeOn(): Promise<void> {
  for (;;) {
    last += 1;
    const number = last;
    await store.transaction((tx) => tx.inboundRequests.remember([`${number}`], number));
    process.stdout.write(`${number}\n`);
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, writeOn));
