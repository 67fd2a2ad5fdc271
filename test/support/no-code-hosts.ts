import { createLogger } from '../../src/app/operations/logger.ts';
import { createCodeHosts } from '../../src/codehost/create-code-hosts.ts';
import { systemClock } from '../../src/engine/runtime/clock.ts';

/** As where none is set up. */
export const noCodeHosts = createCodeHosts([], {
  clock: systemClock,
  log: createLogger({ level: 'error', destination: { write: () => {} } }),
});
