import type { JobEvent } from '../../event.ts';
import { excludedFollowUp, type FollowUp } from '../../follow-ups/follow-up.ts';
import { promptOf } from '../../follow-ups/follow-up-queue.ts';
import { type Job, startPromptOf } from '../../job.ts';
import {
  inlined,
  type ReadSnippet,
  type Snippet,
  type SnippetProblem,
  seeFiles,
  type Unsent,
} from '../../requests/attachments.ts';
import { isBlank, judgePrompt, unescaped } from '../../requests/prompt.ts';
import type { DecisionBuilder } from '../decision-builder.ts';
import { requestCreate } from '../start/open.ts';
import { newFollowUp, putOrRefuse, refusalOf } from './line-up.ts';

/**
 * What is attached to the request or a reply, and was not known: it goes along if that has not gone out, and follows it
 * otherwise. Once: whatever has an attachment has all.
 */
export function attachmentsFound(
  builder: DecisionBuilder,
  { messageTs, userId, attachments }: Extract<JobEvent, { type: 'attachments_found' }>,
): void {
  const { job, context } = builder;
  const before = builder.followUpAt(messageTs);
  const isRequest = before === null && messageTs === job.requestTs;
  if (!isRequest && before === null) return;
  const { snippets, inlined: read } = before ?? job;
  if (snippets.length > 0 || read !== '') return;
  if (isRequest && isStillAsked(job)) {
    builder.change(attachments);
    return;
  }
  const reply = { messageTs, userId, text: '', editedTs: null, mentionsBot: true, attachments };
  const isUnsent = before?.state === 'waiting';
  if (before !== null && !isUnsent && before.state !== 'sent') {
    // It is on its way, or stays between people.
    if (before.state === 'sending') announceProblems(builder, attachments.snippets.map(unreadable));
    return;
  }
  nameOthers(builder, attachments.others);
  builder.schedule('read_snippets', context.nowMs);
  const more = { snippets: attachments.snippets, state: 'waiting', callId: null } as const;
  builder.updateFollowUps([
    before === null
      ? newFollowUp(builder, reply)
      : { ...before, ...more, text: isUnsent ? before.text : '', receivedAtMs: context.nowMs },
  ]);
}

function unreadable({ name }: Snippet): Problem {
  return { name, problem: 'unreadable' };
}

/** Its snippets are read when its card is posted. */
function isStillAsked({ stage }: Job): boolean {
  return stage.kind === 'opening' || stage.kind === 'awaiting_confirmation' || stage.kind === 'card_failed';
}

/** What the agent API cannot take is named, once. */
export function nameOthers(builder: DecisionBuilder, others: readonly Unsent[]): void {
  if (others.length > 0) builder.announce({ kind: 'files_not_sent', files: others });
}

/** The snippets of a reply (`messageTs`), or of the prompt (null), were read, or cannot be. */
export function snippetsRead(
  builder: DecisionBuilder,
  messageTs: string | null,
  snippets: readonly ReadSnippet[],
): void {
  if (messageTs === null) readForPrompt(builder, snippets);
  else readForReply(builder, messageTs, snippets);
}

function readForReply(builder: DecisionBuilder, messageTs: string, snippets: readonly ReadSnippet[]): void {
  const before = builder.followUpAt(messageTs);
  if (before === null || before.snippets.length === 0) return;
  const { text, problems } = fitting(builder, snippets, (more) => promptOf({ ...before, inlined: more }));
  nameOthers(builder, kindsIn(snippets));
  const followUp: FollowUp = { ...before, snippets: [], inlined: text };
  announceProblems(builder, problems);
  if (followUp.state !== 'waiting') builder.saveFollowUp(followUp);
  else if (isBlank(promptOf(followUp))) builder.updateFollowUps([excludedFollowUp(followUp, 'excluded')]);
  else putOrRefuse(builder, followUp, refusalOf(builder, followUp));
}

function readForPrompt(builder: DecisionBuilder, snippets: readonly ReadSnippet[]): void {
  const { job } = builder;
  if (job.snippets.length === 0) return;
  // Those of a draft may have been read before others came along.
  const withMore = (more: string) => [job.inlined, more].filter((part) => part !== '').join('\n\n');
  const { text, problems } = fitting(builder, snippets, (more) =>
    startPromptOf({ ...job, inlined: withMore(more) }),
  );
  nameOthers(builder, kindsIn(snippets));
  announceProblems(builder, problems);
  const whole = withMore(text);
  builder.change({ snippets: [], inlined: whole });
  if (job.stage.kind !== 'creating') return;
  if (whole === '' && isOnlyFiles(builder, job)) {
    builder.change({ stage: { kind: 'rejected', message: NOTHING_READ } });
    builder.refreshCard();
  } else requestCreate(builder);
}

const NOTHING_READ = 'Nothing in it could be read.';

/** Somebody sent files without a word, and nobody has written one since. */
function isOnlyFiles(builder: DecisionBuilder, { prompt, context, snippets }: Job): boolean {
  return prompt === seeFiles(snippets) && context === '' && builder.followUpsIn('waiting').length === 0;
}

/** Those that were read and leave the prompt inside the limit, one after the other. */
function fitting(
  { context }: DecisionBuilder,
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
function kindsIn(snippets: readonly ReadSnippet[]): Unsent[] {
  return snippets.flatMap((snippet) => ('kind' in snippet ? [snippet] : []));
}

interface Problem {
  readonly name: string;
  readonly problem: SnippetProblem;
}

function announceProblems(builder: DecisionBuilder, problems: readonly Problem[]): void {
  if (problems.length > 0) builder.announce({ kind: 'snippets_not_sent', snippets: problems });
}
