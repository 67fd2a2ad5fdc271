import { expect, vi } from 'vitest';
import { audit, report } from '../../../src/cli/commands/report.ts';
import { explainError } from '../../../src/cli/explain-error.ts';
import { commands } from '../../../src/cli/table.ts';
import type { auditLine } from '../../../src/features/reports/audit.ts';
import type { ChildEnv } from '../../support/child-program.ts';

/** Runs `docs-agent <name> <args>` in this process to its end, as the command line would, but for the usage. */
export async function outcomeHere(name: string, args: readonly string[], env: ChildEnv = {}) {
  const printed: unknown[] = [];
  const print = (...words: unknown[]) => void printed.push(...words);
  const spies = (['log', 'error'] as const).map((way) => vi.spyOn(console, way).mockImplementation(print));
  try {
    const run = await commands.get(name)?.load();
    const code = await run?.([...args], { env, now: Date.now }).catch((error: unknown) => {
      const { message, exitCode } = explainError(error, name);
      print(message);
      return exitCode;
    });
    return { code, output: printed.map((words) => `${words}\n`).join('') };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** What `report` prints, at this time: the clock of a world is ahead of the real one. */
export async function reportAt(nowMs: number, env: ChildEnv, ...args: readonly string[]): Promise<string> {
  const printed = vi.spyOn(console, 'log').mockReturnValue(undefined);
  try {
    expect(await report([...args], { env, now: () => nowMs })).toBe(0);
    return printed.mock.calls.flat().join('\n');
  } finally {
    printed.mockRestore();
  }
}

/** What `audit` prints, likewise. */
export async function auditAt(
  nowMs: number,
  env: ChildEnv,
  ...args: readonly string[]
): Promise<ReturnType<typeof auditLine>[]> {
  let printed = '';
  const before = listenersOf(process.stdout);
  const writing = vi.spyOn(process.stdout, 'write').mockImplementation((chunk, ...rest) => {
    printed += String(chunk);
    for (const done of rest) if (typeof done === 'function') done(null);
    return true;
  });
  try {
    expect(await audit([...args], { env, now: () => nowMs })).toBe(0);
  } finally {
    writing.mockRestore();
    // Node leaves some at a stream that goes on.
    for (const [event, listener] of listenersOf(process.stdout)) {
      if (!before.some(([, known]) => known === listener)) process.stdout.removeListener(event, listener);
    }
  }
  return printed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

type Listener = (...args: unknown[]) => void;

function listenersOf(stream: NodeJS.EventEmitter): [event: string | symbol, listener: Listener][] {
  return stream
    .eventNames()
    .flatMap((event) =>
      stream
        .rawListeners(event)
        .map((listener): [string | symbol, Listener] => [event, listener as Listener]),
    );
}
