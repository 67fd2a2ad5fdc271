import { runBolt } from './bolt.ts';

// Reference A: acknowledges and forgets.

await runBolt(null);
