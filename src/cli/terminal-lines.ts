import type { DestinationStream } from 'pino';
import { build } from 'pino-pretty';

/**
 * A logger's destination for people: readable lines instead of JSON, on standard output by default. In a module of its
 * own, since only a program at a terminal needs to load the package.
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
