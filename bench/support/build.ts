import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inProject } from './paths.ts';

const run = promisify(execFile);

/** Compiles the program and the references: what runs in production does not compile itself when it starts. */
export async function build(): Promise<void> {
  const compiler = inProject('node_modules/typescript/bin/tsc');
  for (const config of ['tsconfig.build.json', 'bench/references/tsconfig.json']) {
    await run(process.execPath, [compiler, '-p', config], { cwd: inProject('.') }).catch((error) => {
      throw new Error(`${config} does not compile:\n${error.stdout}`);
    });
  }
}

export const programPath = inProject('dist/cli.js');

/** `bare-bolt`: the compiled `bench/references/bare-bolt.ts`. */
export function referencePath(name: string): string {
  return inProject(`bench/references/dist/${name}.js`);
}
