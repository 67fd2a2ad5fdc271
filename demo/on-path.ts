import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

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
