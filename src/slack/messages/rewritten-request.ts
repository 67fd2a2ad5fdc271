import type { JobEvent } from '../../jobs/event.ts';
import { judgePrompt } from '../../jobs/requests/command.ts';
import { addressed, type Projects } from '../../jobs/requests/project.ts';
import { readableText } from '../protocol/slack-text.ts';
import { attachmentsIn } from './attachments.ts';
import { type MessageEvent, requestText } from './message-event.ts';
import { saidBy } from './said.ts';

interface Asked {
  readonly userId: string;
  readonly botUserId: string;
  readonly projects: Projects;
  readonly promptMaxLength: number;
}

/** The edited message's request; null: it is none. Its project stays. */
export function rewrittenRequest(
  message: MessageEvent,
  { userId, botUserId, projects, promptMaxLength }: Asked,
): JobEvent | null {
  const attachments = attachmentsIn(message);
  const to = addressed(requestText(saidBy(message), attachments, botUserId), projects, projects[0]);
  if (judgePrompt(readableText(to.prompt, new Map()), promptMaxLength).kind !== 'ok') return null;
  const editedTs = message.edited?.ts ?? null;
  const reply = { messageTs: message.ts, userId, text: to.prompt, editedTs, mentionsBot: true, attachments };
  return { type: 'request_rewritten', reply };
}
