import type { Turn } from './store.ts';

const SUBJECT_MAX = 72;
const SLUG_MAX = 40;
/** Code hosts limit a pull request's text. */
const REQUEST_SHOWN_MAX = 20_000;
const ID_LENGTH = 6;
const LEFT_OUT_SHOWN_MAX = 500;
const EARLIER_SHOWN_MAX = 4_000;
export const SUMMARY_MAX = 3_000;
const ACTIVITY_MAX = 100;
/** With these words, code hosts skip checks. */
const NO_CHECKS =
  /\[((?:skip|no)\s+ci|ci\s+skip|skip\s+actions|actions\s+skip)\]|\*{3}(NO_CI)\*{3}|^(skip-checks):/gim;

export function subjectOf(prompt: string): string {
  const [line = ''] = plain(prompt).trim().split('\n');
  return shortened(line.replace(/\s+/g, ' ').trim(), SUBJECT_MAX) || 'Update the documentation';
}

/** @param round counts the job's branches */
export function branchOf(prompt: string, jobId: string, round: number): string {
  const words = subjectOf(prompt)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .slice(0, SLUG_MAX)
    .match(/[a-z0-9]+/g);
  const name = [...(words ?? []), jobId.slice(-ID_LENGTH), ...(round === 1 ? [] : [round])];
  return `docs-agent/${name.join('-')}`;
}

export function commitMessage(prompt: string, summary: string | null): string {
  return `${subjectOf(prompt)}\n${summary === null ? '' : `\n${plain(summary).trim()}\n`}`;
}

export function summaryIn(message: string): string | null {
  return message.split('\n').slice(1).join('\n').trim() || null;
}

export function pullRequestBody(prompt: string, summary: string | null): string {
  const request = shortened(plain(prompt).trim(), REQUEST_SHOWN_MAX).replace(/^/gm, '> ');
  return [...(summary === null ? [] : [summary, '']), 'Requested:', '', request].join('\n');
}

export function summaryOf(words: string, leftOut: readonly string[]): string | null {
  const named = oneLine(leftOut.join(', '), LEFT_OUT_SHOWN_MAX);
  const note = named && `Left out, since these files may not change here: ${named}.`;
  const said = shortened(plain(words).trim(), SUMMARY_MAX - note.length - 2);
  return [said, note].filter(Boolean).join('\n\n') || null;
}

export function firstPrompt(
  prompt: string,
  instructions: string | null,
  earlier: readonly Pick<Turn, 'prompt' | 'summary'>[],
): string {
  const turns = earlier.map(({ prompt: asked, summary }, index) => {
    const request = `Request ${index + 1}: ${shortened(asked, EARLIER_SHOWN_MAX)}`;
    return summary === null ? request : `${request}\nYour summary: ${summary}`;
  });
  const done = turns.length === 0 ? [] : ['What was asked and done before:', ...turns, 'The request now:'];
  return [...(instructions === null ? [] : [instructions.trim()]), ...done, prompt].join('\n\n');
}

export function conflictPrompt(files: readonly string[]): string {
  return (
    'Somebody has changed the branch meanwhile, and your changes conflict with theirs. The files below hold both, ' +
    'between conflict markers (<<<<<<<, =======, >>>>>>>). Edit them so that both intentions are kept and no marker ' +
    `is left:\n${files.join('\n')}`
  );
}

export function leftOutPrompt(files: readonly string[]): string {
  return `Your earlier, unfinished work no longer fits the branch and is gone. Others have changed:\n${files.join('\n')}`;
}

export function activityOf(kind: string, title: string, paths: readonly string[]): string | null {
  const place = paths.length > 1 ? `${paths.length} files` : paths[0];
  const verb = VERBS[kind];
  const line = verb === undefined ? title : `${verb} ${place ?? title}`;
  return oneLine(line, ACTIVITY_MAX) || null;
}

const VERBS: Readonly<Record<string, string | undefined>> = {
  read: 'Reading',
  edit: 'Editing',
  delete: 'Deleting',
  move: 'Moving',
  search: 'Searching',
  execute: 'Running',
  fetch: 'Fetching',
};

export function oneLine(text: string, max: number): string {
  return shortened(plain(text).replace(/\s+/g, ' ').trim(), max);
}

/** Drops control characters, which forge lines or end a text early, and words that skip checks. */
function plain(text: string): string {
  const printable = text.toWellFormed().replace(/[^\P{Cc}\n\t]/gu, '');
  return printable.replace(NO_CHECKS, '($1$2$3)');
}

function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = text.slice(0, max - 1).toWellFormed();
  return `${start.trimEnd()}…`;
}
