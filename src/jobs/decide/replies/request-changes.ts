import type { EventOf, Reply } from '../../event.ts';
import { noAttachments } from '../../requests/attachments.ts';
import { intentOf } from '../../requests/intent.ts';
import type { DecisionBuilder } from '../decision-builder.ts';
import { dropJob } from '../start/open.ts';
import { newFollowUp, putOrRefuse } from './line-up.ts';
import { isWorthSending, replyEdited, sayItWasSent } from './replies.ts';

/**
 * The message that asks was edited. Before it goes out, the edit counts, and withdraws it if nothing is asked
 * ("stop"); later, its author may send the correction, as with replies.
 */
export function requestRewritten(builder: DecisionBuilder, { reply }: EventOf<'request_rewritten'>): void {
  const { job } = builder;
  const { messageTs, userId, text, editedTs } = reply;
  if (job.requestTs !== messageTs || job.stage.kind === 'dropped') return;
  // Its correction was sent, and is a reply.
  if (builder.followUpAt(messageTs) !== null) {
    replyEdited(builder, { reply });
    return;
  }
  if (editedTs === null || editedTs <= (job.requestEditedTs ?? '')) return;
  builder.change({ requestEditedTs: editedTs });
  if (isStillHere(builder) && ['stop', 'small_talk'].includes(intentOf(text).kind)) {
    requestDeleted(builder, { messageTs, userId });
    return;
  }
  if (isStillHere(builder) || job.stage.kind === 'rejected') {
    builder.change({ prompt: text });
    builder.refreshCard();
    return;
  }
  const isWorthwhile = isWorthSending(job.prompt, text);
  builder.change({ correction: isWorthwhile ? text : '' });
  if (!isWorthwhile || job.correction !== undefined) return;
  builder.postEphemeral(userId, { kind: 'edited_after_sending', messageTs });
}

/** The message that asks was deleted: nothing starts, or its author learns that it has. */
export function requestDeleted(
  builder: DecisionBuilder,
  { messageTs, userId }: Pick<Reply, 'messageTs' | 'userId'>,
): void {
  const { job } = builder;
  if (job.requestTs !== messageTs || job.stage.kind === 'dropped') return;
  if (!isStillHere(builder)) {
    sayItWasSent(builder, { messageTs, userId });
    return;
  }
  dropJob(builder, 'withdrawn', userId);
}

/** *Send the correction* of the request: it is a reply from then on. */
export function correctRequest(builder: DecisionBuilder, messageTs: string): void {
  const { requestTs, requesterId, correction = '', requestEditedTs = null } = builder.job;
  if (requestTs !== messageTs || requesterId === null || correction === '') return;
  const { correction: _, ...job } = builder.job;
  builder.job = job;
  const followUp = {
    ...newFollowUp(builder, {
      messageTs,
      userId: requesterId,
      text: correction,
      editedTs: requestEditedTs,
      mentionsBot: true,
      attachments: noAttachments,
    }),
    isCorrection: true,
  };
  putOrRefuse(builder, followUp);
}

/** Nothing of it has gone out. */
function isStillHere({ job, pendingCreateId }: DecisionBuilder): boolean {
  switch (job.stage.kind) {
    case 'awaiting_confirmation':
    case 'opening':
    case 'card_failed':
      return true;
    case 'creating':
      return job.creates === 0 || pendingCreateId !== null;
    default:
      return false;
  }
}
