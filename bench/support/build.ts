import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inProject } from './paths.ts';

const run = promisify(execFile);

/** Compiles the program and the references: what runs in production does not compile itself when it starts. */
export async function build(): Promise<void> {
  const commands = [
    ['npm', 'run', 'build'],
    ['npx', 'tsc', '-p', 'bench/references/tsconfig.json'],
  ] as const;
  for (const [command, ...args] of commands) {
    await run(command, args, { cwd: inProject('.') }).catch((error) => {
      throw new Error(`${command} ${args.join(' ')} failed:\n${error.stdout}${error.stderr}`);
    });
  }
}

export const programPath = inProject('dist/cli.js');

/** `bare-bolt`: the compiled `bench/references/bare-bolt.ts`. */
export function referencePath(name: string): string {
  return inProject(`bench/references/dist/${name}.js`);
}
