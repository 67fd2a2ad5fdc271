import type { Reply } from '../../event.ts';
import { excludedFollowUp, type FollowUp, promptOf, unsentStates } from '../../follow-ups/follow-up.ts';
import { type Job, paragraphs, startPromptOf } from '../../job.ts';
import {
  type NotSent,
  type ReadSnippet,
  type Snippet,
  seeFiles,
  type UnsentFile,
} from '../../requests/attachments.ts';
import { isBlank, judgePrompt, unescaped } from '../../requests/command.ts';
import type { Deciders, DecisionBuilder } from '../decision-builder.ts';
import { requestCreate } from '../start/open.ts';
import { enqueueOrRefuse, newFollowUp } from './enqueue.ts';

export const snippetDeciders = {
  message_completed(builder, { reply }) {
    const before = builder.followUpAt(reply.messageTs);
    if (before !== null) completeReply(builder, before, reply);
    else if (reply.messageTs === builder.job.requestTs) completeRequest(builder, reply);
  },

  snippets_read(builder, { messageTs, snippets }) {
    if (messageTs === null) {
      readForPrompt(builder, snippets);
      return;
    }
    const before = builder.followUpAt(messageTs);
    if (before === null || before.snippets.length === 0) return;
    const text = takeFitting(builder, snippets, (more) => promptOf({ ...before, inlined: more }));
    const followUp: FollowUp = { ...before, snippets: [], inlined: text };
    if (followUp.state !== 'waiting') builder.saveFollowUp(followUp);
    else if (isBlank(promptOf(followUp))) builder.updateFollowUps([excludedFollowUp(followUp, 'excluded')]);
    else enqueueOrRefuse(builder, followUp);
  },
} satisfies Partial<Deciders>;

function completeRequest(builder: DecisionBuilder, reply: Reply) {
  const { job } = builder;
  const { text, snippets } = addedTo(job, job.requestEditedTs !== undefined, reply);
  const others = job.others.length > 0 ? [] : reply.attachments.others;
  if (['opening', 'awaiting_confirmation', 'card_failed'].includes(job.stage.kind)) {
    builder.change({
      ...(text !== '' && { prompt: reply.text }),
      ...(snippets.length > 0 && { snippets }),
      ...(others.length > 0 && { others }),
    });
    return;
  }
  if (others.length > 0) {
    builder.change({ others });
    nameOthers(builder, reply.messageTs, others);
  }
  const followUp = newFollowUp(builder, { ...reply, text }, { snippets, others });
  if (text !== '' || snippets.length > 0 || followUp.pictures !== undefined) enqueue(builder, followUp);
}

function completeReply(builder: DecisionBuilder, before: FollowUp, reply: Reply) {
  const isEdited = before.editedTs !== null || before.corrected !== null || before.isCorrection;
  const { text, snippets } = addedTo({ ...before, prompt: before.text }, isEdited, reply);
  const isForAgent = unsentStates.some((state) => state === before.state) || before.state === 'sent';
  if (isForAgent) nameOthers(builder, reply.messageTs, reply.attachments.others);
  const added = (before.pictures === undefined && builder.picturesIn(reply.attachments.others)) || [];
  if (text === '' && snippets.length + added.length === 0) return;
  const pictures = added.length > 0 ? added : before.pictures;
  const whole = text === '' ? before.text : reply.text;
  const { nowMs: receivedAtMs } = builder;
  const isToSend = before.state === 'waiting' || (before.state === 'not_sent' && isBlank(promptOf(before)));
  if (before.state === 'sent') enqueue(builder, { ...before, text, snippets, pictures, receivedAtMs });
  else if (isToSend) enqueue(builder, { ...before, text: whole, snippets, pictures, receivedAtMs });
  else if (before.state === 'not_sent') builder.saveFollowUp({ ...before, text: whole, pictures });
  else if (before.state === 'sending' || before.state === 'unknown') {
    if (text !== '') builder.saveFollowUp({ ...before, corrected: reply.text });
    announceNotSent(
      builder,
      [...snippets, ...added].map(({ name }) => ({ name, problem: 'unreadable' })),
    );
  }
}

function enqueue(builder: DecisionBuilder, followUp: FollowUp) {
  if (followUp.snippets.length > 0) builder.schedule('read_snippets');
  enqueueOrRefuse(builder, { ...followUp, state: 'waiting', callId: null });
}

/** An edit may have removed words. */
function addedTo(
  { prompt, snippets, inlined: read }: Pick<Job, 'prompt' | 'snippets' | 'inlined'>,
  isEdited: boolean,
  { text, attachments }: Reply,
): { readonly text: string; readonly snippets: readonly Snippet[] } {
  const isLonger = !isEdited && text.startsWith(prompt);
  const isNew = snippets.length === 0 && read === '';
  return {
    text: isLonger ? text.slice(prompt.length).trim() : '',
    snippets: isNew ? attachments.snippets : [],
  };
}

export function nameOthers(builder: DecisionBuilder, messageTs: string, others: readonly UnsentFile[]): void {
  const files = builder.unsentIn(others);
  if (files.length === 0) return;
  builder.announceOnce(`files:${builder.job.id}:${messageTs}`, { kind: 'files_not_sent', files });
}

function readForPrompt(builder: DecisionBuilder, snippets: readonly ReadSnippet[]) {
  const { job } = builder;
  if (job.snippets.length === 0) return;
  // A draft's snippets may have been read earlier.
  const withMore = (more: string) => paragraphs(job.inlined, more);
  const fitting = takeFitting(builder, snippets, (more) =>
    startPromptOf({ ...job, inlined: withMore(more) }),
  );
  const whole = withMore(fitting);
  builder.change({ snippets: [], inlined: whole });
  if (job.stage.kind !== 'creating') return;
  const isOnlyFiles =
    job.prompt === seeFiles(job.snippets) &&
    job.context === '' &&
    builder.followUpsIn('waiting').length === 0;
  if (whole === '' && isOnlyFiles) {
    builder.change({ stage: { kind: 'rejected', message: 'Nothing in it could be read.' } });
    builder.refreshCard();
  } else requestCreate(builder);
}

function takeFitting(
  builder: DecisionBuilder,
  snippets: readonly ReadSnippet[],
  promptWith: (text: string) => string,
) {
  const { promptMaxLength } = builder.policy;
  const texts: string[] = [];
  const notSent: NotSent[] = [];
  for (const snippet of snippets) {
    if (!('text' in snippet)) notSent.push(snippet);
    else {
      const text = `${snippet.name}:\n${snippet.text}`;
      const verdict = judgePrompt(unescaped(promptWith([...texts, text].join('\n\n'))), promptMaxLength);
      if (verdict.kind === 'too_long') notSent.push({ name: snippet.name, problem: 'too_long' });
      else texts.push(text);
    }
  }
  announceNotSent(builder, notSent);
  return texts.join('\n\n');
}

export function announceNotSent(builder: DecisionBuilder, all: readonly NotSent[] = []): void {
  const files = all.filter((one) => 'kind' in one);
  const snippets = all.filter((one) => 'problem' in one);
  if (files.length > 0) builder.announce({ kind: 'files_not_sent', files });
  if (snippets.length > 0) builder.announce({ kind: 'snippets_not_sent', snippets });
}
