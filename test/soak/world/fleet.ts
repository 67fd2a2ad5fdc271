import { type ChildEnv, type ChildProgram, runProgram } from '../../support/child-program.ts';
import { freePort } from '../../support/free-port.ts';

/** Lets each process step its clock on command. */
const steppedClock = new URL('./child/stepped-clock.ts', import.meta.url).href;

/** How a program of a fleet is started, and how it says that it has. */
export const BOT = { args: ['start'], started: 'started', port: 'PORT' } as const;
export const RUNNER = { args: ['runner'], started: 'runner_started', port: 'RUNNER_PORT' } as const;

/** The processes of the program; one that ends is replaced by another. */
export interface Fleet extends AsyncDisposable {
  /** Resolves when this one has started, or has ended, or takes too long. */
  started(index: number): Promise<void>;
  /** Ends one with SIGKILL; resolves when another has taken its place. */
  kill(index: number): Promise<void>;
  /** Sends a signal to one, without waiting for anything. */
  signal(index: number, signal: NodeJS.Signals): void;
  /** Where each of them answers HTTP. */
  readonly ports: readonly number[];
  /** How the processes ended that were not killed. */
  readonly endings: readonly string[];
  /** All that the processes printed, one text for each. */
  outputs(): readonly string[];
}

/** Resolves when all replicas have started. */
export async function startFleet(
  replicas: number,
  env: ChildEnv,
  { args, started, port }: typeof BOT | typeof RUNNER = BOT,
  nodeArgs: readonly string[] = [],
): Promise<Fleet> {
  const ports = await Promise.all(Array.from({ length: replicas }, () => freePort()));
  const programs: ChildProgram[] = [];
  const current: ChildProgram[] = [];
  const killed = new Set<ChildProgram>();
  const endings: string[] = [];
  const state = { isStopping: false };

  function launch(index: number): ChildProgram {
    const program = runProgram(args, { ...env, [port]: String(ports[index]) }, [
      ...nodeArgs,
      '--import',
      steppedClock,
    ]);
    programs.push(program);
    current[index] = program;
    void program.exit.then(({ code, signal }) => {
      if (state.isStopping) return;
      if (!killed.has(program)) endings.push(`exit ${code ?? signal}`);
      if (!killed.has(program)) launch(index);
    });
    return program;
  }

  await Promise.all(Array.from({ length: replicas }, (_, index) => launch(index).logged(started)));
  return {
    ports,
    endings,
    outputs: () => programs.map((program) => program.output()),
    started: async (index) => {
      await current[index]?.logged(started).catch(() => {});
    },
    kill: async (index) => {
      const program = current[index];
      if (program === undefined) return;
      killed.add(program);
      program.kill('SIGKILL');
      await program[Symbol.asyncDispose]();
      launch(index);
    },
    signal: (index, signal) => current[index]?.kill(signal),
    [Symbol.asyncDispose]: async () => {
      state.isStopping = true;
      await Promise.all(current.map((program) => program[Symbol.asyncDispose]()));
    },
  };
}
