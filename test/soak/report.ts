import type { Finding } from './model/evidence.ts';
import { isStop, ofKind } from './model/posts.ts';
import type { RunResult } from './run.ts';

type Row = readonly [what: string, count: number | string];

/** The results of one run as a Markdown table. */
export function reportOf(result: RunResult): string {
  const { options } = result;
  const place = options.database === 'sqlite' ? 'SQLite, one process' : 'Postgres, two replicas';
  const kind = options.kills > 0 ? 'Random kills' : options.withRunner ? 'Soak with the runner' : 'Soak';
  return [`### ${kind} on ${place}`, table([...outcomes(result), ...causes(result)])].join('\n\n');
}

/** All that must be zero is zero, and `docs-agent report` counts as is counted by hand. */
export function isGood({
  findings,
  broken,
  miscounts,
  options,
  killed,
  unknownCalls,
  endings,
  runnerEndings,
}: RunResult): boolean {
  // A fault of Slack at its start ends the program, which is started again.
  const areEndingsGood = (killed > 0 || endings.length === 0) && runnerEndings.length === 0;
  const isUnknown = options.withRunner && unknownCalls > 0;
  return findings.size === 0 && broken.length === 0 && miscounts.length === 0 && areEndingsGood && !isUnknown;
}

function outcomes(result: RunResult): Row[] {
  const { stories, options } = result;
  const asked = (answer: string) => stories.filter((story) => story.asked.answer === answer).length;
  const unknown = unknownOf(result);
  return [
    ['jobs asked for', stories.length],
    ['accepted', asked('accepted')],
    ['without an answer (a card or none)', asked('unclear')],
    ['refused', asked('refused')],
    ['replies', stories.flatMap(({ replies }) => replies).length],
    ['**lost**', found(result, 'lost')],
    ['**doubled**', found(result, 'doubled')],
    ['**out of order**', found(result, 'reordered')],
    ['invariants broken', result.broken.length],
    ['said or done unexpectedly', found(result, 'unexpected')],
    ['creates of unknown outcome, each shown in its thread', unknown.creates],
    ['messages of unknown outcome, each shown in its thread', unknown.messages],
    ['of these, taken by the agent all the same', unknown.taken],
    ...(options.withRunner ? runnerRows(result) : []),
    ...(result.killed > 0 ? [['kills', result.killed] as const] : []),
    ['numbers of `docs-agent report` that differ from a count by hand', result.miscounts.length],
    ['processes that ended by themselves', result.endings.length + result.runnerEndings.length],
    ['duration', `${Math.round(result.durationMs / 1000)} s`],
  ];
}

function runnerRows({ stories, unknownCalls }: RunResult): Row[] {
  const jobs = stories.flatMap(({ work }) => work ?? []);
  const branches = jobs.flatMap((job) => job.branches);
  return [
    ['**unknown** in the ledger', unknownCalls],
    ['jobs of the runner', jobs.length],
    ['turns', jobs.flatMap(({ turns }) => turns).length],
    ['commits', branches.reduce((total, { commits }) => total + commits, 0)],
    ['pull requests', jobs.reduce((total, { pulls }) => total + pulls, 0)],
    ['stops', stories.flatMap(({ posts }) => posts.filter(isStop)).length],
  ];
}

function found({ findings }: RunResult, kind: Finding['kind']): number {
  return [...findings.values()].flat().filter((finding) => finding.kind === kind).length;
}

function unknownOf({ stories }: RunResult): { creates: number; messages: number; taken: number } {
  const posts = stories.flatMap((story) => story.posts);
  const attempts = stories.flatMap(({ creates, messages }) => [...creates, ...messages]);
  return {
    creates: ofKind(posts, 'create_unknown').length,
    messages: ofKind(posts, 'message_unknown').length,
    taken: attempts.filter(({ answer, isTaken }) => answer === 'unclear' && isTaken).length,
  };
}

function causes(result: RunResult): Row[] {
  const all = (title: string, counts: ReadonlyMap<string, number>): Row[] => [
    [`${title}`, sum(counts)],
    ...[...counts].toSorted(([, a], [, b]) => b - a).map(([name, count]): Row => [`– ${name}`, count]),
  ];
  return [
    ...all('calls to Slack', result.slackCalls),
    ...all('faults of Slack', result.slackFaults),
    ...all('calls to the agent API', result.agentCalls),
    ...all('faults of the agent API', result.agentFaults),
    ...all('odd answers of the agent API', result.oddAnswers),
    ['second to fourth copies of requests', result.extraCopies],
    ['turns that the agent took up late', result.lateTurns],
    ...all('disturbances of a process', result.disturbances),
    ['replies that a second program left to the others', result.leftBySecond],
  ];
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(([what, count]) => `| ${what} | ${count.toLocaleString('en-US')} |`);
  return ['| what | count |', '| --- | ---: |', ...lines].join('\n');
}
