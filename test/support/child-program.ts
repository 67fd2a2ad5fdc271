import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { spawnGuarded } from './guarded-child.ts';
import { waitFor } from './wait-for.ts';

const cli = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url));
const demo = fileURLToPath(new URL('../../demo/demo.ts', import.meta.url));
/** Halves the work of starting, which is most of what these tests do. */
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/child-program', import.meta.url));

/** The child's variables, without those of this process. */
export type ChildEnv = Readonly<Record<string, string | undefined>>;

/** A line that the program logged. */
export interface LogLine {
  readonly event: string;
  readonly level: string;
  readonly [field: string]: unknown;
}

/** The real program as a process of its own. It is killed when the object is disposed, or this process ends. */
export type ChildProgram = ReturnType<typeof runCommand>;

/** Runs `docs-agent <args>` with this Node; `nodeArgs` are for Node itself. */
export function runProgram(args: readonly string[], env: ChildEnv, nodeArgs: readonly string[] = []) {
  const command = [process.execPath, ...nodeArgs, cli, ...args];
  return runCommand(command, { NODE_COMPILE_CACHE: compileCache, ...env });
}

/** Runs `docs-agent <args>` to its end. */
export async function outcomeOf(args: readonly string[], env: ChildEnv = {}) {
  await using program = runProgram(args, env);
  const { code } = await program.exit;
  return { code, output: program.output() };
}

/** Runs the demo with this Node; `nodeArgs` are for Node itself. */
export function runDemo(env: ChildEnv, args: readonly string[] = [], nodeArgs: readonly string[] = []) {
  return runCommand([process.execPath, ...nodeArgs, demo, ...args], {
    NODE_COMPILE_CACHE: compileCache,
    ...env,
  });
}

/** The same for a program that is started in another way. */
export function runCommand(command: readonly string[], env: ChildEnv) {
  const child = spawnGuarded(command, env);
  let output = '';
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  let ended = false;
  let ending: string | null = null;
  const exit = once(child, 'close').then(([code, signal]) => {
    ended = true;
    ending = `code ${code}, signal ${signal}`;
    return { code, signal } as { readonly code: number | null; readonly signal: NodeJS.Signals | null };
  });

  // What follows the last line break is not a whole line yet.
  const log = () => stdout.split('\n').slice(0, -1).flatMap(toLogLine);
  const find = async <T>(read: () => T | null | undefined, what: string): Promise<T> => {
    const look = () => ({ ended, found: read() });
    const { found } = await waitFor(look, (seen) => seen.ended || seen.found != null, { what }).catch(look);
    if (found == null) throw new Error(`${ended ? 'it ended' : 'it went on'} without ${what}:\n${output}`);
    return found;
  };

  return {
    /** All that it has printed so far, to both of its outputs. */
    output: () => output,
    /** What it has logged so far. */
    log,
    /** Waits for the first log line of one of these events; throws with its output if it ends or stays silent. */
    logged: (...events: readonly string[]) =>
      find(() => log().find(({ event }) => events.includes(event)), `the log event ${events.join(' or ')}`),
    /** Waits until its output matches, and returns the match; throws with its output as `logged` does. */
    printed: (pattern: RegExp) => find(() => pattern.exec(output), `printing ${pattern}`),
    kill: (signal: NodeJS.Signals) => {
      child.kill(signal);
    },
    /** Resolves once it has ended and all of its output is there; `code` is null if a signal ended it. */
    exit,
    /** How it ended, in words; null while it runs. */
    get ending() {
      return ending;
    },
    [Symbol.asyncDispose]: async () => {
      // The guard kills what still runs.
      child.stdin.destroy();
      await exit;
    },
  };
}

function toLogLine(line: string): LogLine[] {
  return line.startsWith('{') ? [JSON.parse(line)] : [];
}
