import { instructionIn, lineOf } from '../texts.ts';
import type { Attempt } from '../world/agent-front.ts';
import type { Finding, RunnerJob, StoryEvidence } from './evidence.ts';
import { ofKind } from './posts.ts';

/** Each call that the runner took made one job, or one turn; each turn ended, and has at most one commit. */
export function judgeRunnerWork({ work, creates, messages, posts }: StoryEvidence): Finding[] {
  if (work === null) return [];
  const unknown = [...ofKind(posts, 'create_unknown'), ...ofKind(posts, 'message_unknown')];
  return [
    ...unknown.map(({ text }): Finding => ({ kind: 'unexpected', what: `told as unknown: ${text}` })),
    ...counted('jobs', work.length, taken(creates).length),
    ...work.flatMap((job) => {
      const own = taken(messages).filter(({ agentJobId }) => agentJobId === job.id);
      return [...counted(`turns of ${job.id}`, job.turns.length, 1 + own.length), ...judgeJob(job)];
    }),
  ];
}

function taken(attempts: readonly Attempt[]): Attempt[] {
  return attempts.filter(({ isTaken }) => isTaken);
}

function counted(what: string, there: number, due: number): Finding[] {
  if (there === due) return [];
  return [{ kind: there > due ? 'doubled' : 'lost', what: `${there} ${what}, but ${due} were asked for` }];
}

function judgeJob({ id, turns, branches, pulls }: RunnerJob): Finding[] {
  const findings: Finding[] = [];
  const add = (kind: Finding['kind'], what: string) => findings.push({ kind, what: `${id}: ${what}` });
  if (turns.some(({ isOpen }) => isOpen)) add('lost', 'a turn has not ended');
  if (branches.length > 1) add('doubled', `${branches.length} branches`);
  if (pulls > 1) add('doubled', `${pulls} pull requests`);
  const lines = branches.flatMap((branch) => branch.lines);
  const commits = branches.reduce((sum, branch) => sum + branch.commits, 0);
  if (commits > lines.length) add('doubled', `${commits} commits of ${lines.length} edits`);
  const count = (all: readonly string[], line: string) => all.filter((one) => one === line).length;
  const asked = turns.map(({ prompt }) => lineOf(prompt));
  const done = turns.filter(({ prompt, isDone }) => isDone && instructionIn(prompt) !== 'no_link');
  const due = done.map(({ prompt }) => lineOf(prompt));
  for (const line of new Set([...lines, ...due])) {
    if (count(lines, line) > count(asked, line)) add('doubled', `an edit is there twice: ${line}`);
    if (count(lines, line) < count(due, line)) add('lost', `an edit is not there: ${line}`);
  }
  return findings;
}
