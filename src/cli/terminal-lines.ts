import type { DestinationStream } from 'pino';
import { build } from 'pino-pretty';

/**
 * What a logger writes to where people read: lines for them, instead of JSON. They go to the standard output if no
 * other destination is given. A file of its own: only a program at a terminal needs to load the package.
 */
export function terminalLines(destination?: DestinationStream): DestinationStream {
  return build({
    messageFormat: '{event}',
    ignore: 'event',
    singleLine: true,
    sync: true,
    destination: destination ?? 1,
  });
}
