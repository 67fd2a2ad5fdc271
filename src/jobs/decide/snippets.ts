import { type FileKind, inlined, type ReadSnippet, type SnippetProblem } from '../attached.ts';
import { promptOf } from '../batch.ts';
import { type FollowUp, keptOut } from '../follow-up.ts';
import { startPromptOf } from '../job.ts';
import { isBlank, judgePrompt, unescaped } from '../prompt.ts';
import type { Draft } from './draft.ts';
import { putOrRefuse, refusalOf } from './line-up.ts';
import { wantCreate } from './open.ts';

/** What the agent API cannot take is named, once. */
export function nameOthers(draft: Draft, others: readonly FileKind[]): void {
  if (others.length > 0) draft.announce({ kind: 'files_not_sent', files: others });
}

/** The snippets of a reply (`messageTs`), or of the prompt (null), were read, or cannot be. */
export function snippetsRead(draft: Draft, messageTs: string | null, snippets: readonly ReadSnippet[]): void {
  if (messageTs === null) readForPrompt(draft, snippets);
  else readForReply(draft, messageTs, snippets);
}

function readForReply(draft: Draft, messageTs: string, snippets: readonly ReadSnippet[]): void {
  const before = draft.followUpAt(messageTs);
  if (before === null || before.snippets.length === 0) return;
  const { text, problems } = fitting(draft, snippets, (more) => promptOf({ ...before, inlined: more }));
  nameOthers(draft, kindsIn(snippets));
  const followUp: FollowUp = { ...before, snippets: [], inlined: text };
  tell(draft, problems);
  if (followUp.state !== 'waiting') draft.note(followUp);
  else if (isBlank(promptOf(followUp))) draft.put([keptOut(followUp, 'kept_out')]);
  else putOrRefuse(draft, followUp, refusalOf(draft, followUp));
}

function readForPrompt(draft: Draft, snippets: readonly ReadSnippet[]): void {
  const { job } = draft;
  if (job.snippets.length === 0) return;
  const { text, problems } = fitting(draft, snippets, (more) => startPromptOf({ ...job, inlined: more }));
  nameOthers(draft, kindsIn(snippets));
  tell(draft, problems);
  draft.change({ snippets: [], inlined: text });
  if (job.stage.kind === 'creating') wantCreate(draft);
}

/** Those that were read and leave the prompt inside the limit, one after the other. */
function fitting(
  { context }: Draft,
  snippets: readonly ReadSnippet[],
  promptWith: (text: string) => string,
): { readonly text: string; readonly problems: readonly Problem[] } {
  const texts: string[] = [];
  const problems: Problem[] = [];
  for (const snippet of snippets) {
    if ('kind' in snippet) continue;
    if ('problem' in snippet) {
      problems.push(snippet);
      continue;
    }
    const more = [...texts, inlined(snippet.name, snippet.text)];
    const verdict = judgePrompt(unescaped(promptWith(more.join('\n\n'))), context.policy.promptMaxLength);
    if (verdict.kind === 'too_long') problems.push({ name: snippet.name, problem: 'too_long' });
    else texts.push(inlined(snippet.name, snippet.text));
  }
  return { text: texts.join('\n\n'), problems };
}

/** Of those that turned out to be no texts. */
function kindsIn(snippets: readonly ReadSnippet[]): FileKind[] {
  return snippets.flatMap((snippet) => ('kind' in snippet ? [snippet.kind] : []));
}

interface Problem {
  readonly name: string;
  readonly problem: SnippetProblem;
}

function tell(draft: Draft, problems: readonly Problem[]): void {
  if (problems.length > 0) draft.announce({ kind: 'snippets_not_sent', snippets: problems });
}
