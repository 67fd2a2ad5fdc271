import { instructionIn, lineOf } from '../texts.ts';

/** A job as the runner's store, the repository and the code host have it. */
export interface RunnerJob {
  readonly id: string;
  /** `isDone`: it ended by itself, and did not fail. */
  readonly turns: readonly { readonly prompt: string; readonly isOpen: boolean; readonly isDone: boolean }[];
  /** With the lines that their commits add. */
  readonly branches: readonly {
    readonly name: string;
    readonly commits: number;
    readonly lines: readonly string[];
  }[];
  readonly pulls: number;
}

/** What the program's store does not show: each turn has ended, and each has at most one commit. */
export function judgeRunnerJob({ id, turns, branches, pulls }: RunnerJob): string[] {
  const lines = branches.flatMap((branch) => branch.lines);
  const commits = branches.reduce((sum, branch) => sum + branch.commits, 0);
  const count = (all: readonly string[], line: string) => all.filter((one) => one === line).length;
  const asked = turns.map(({ prompt }) => lineOf(prompt));
  const done = turns.filter(({ prompt, isDone }) => isDone && instructionIn(prompt) !== 'no_link');
  const due = done.map(({ prompt }) => lineOf(prompt));
  return [
    ...(turns.some(({ isOpen }) => isOpen) ? ['a turn has not ended'] : []),
    ...(branches.length > 1 ? [`${branches.length} branches`] : []),
    ...(pulls > 1 ? [`${pulls} pull requests`] : []),
    ...(commits > lines.length ? [`${commits} commits of ${lines.length} edits`] : []),
    ...[...new Set([...lines, ...due])].flatMap((line) => [
      ...(count(lines, line) > count(asked, line) ? [`an edit is there twice: ${line}`] : []),
      ...(count(lines, line) < count(due, line) ? [`an edit is not there: ${line}`] : []),
    ]),
  ].map((wrong) => `the runner's job ${id}: ${wrong}`);
}
