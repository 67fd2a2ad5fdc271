import { applyEvent } from '../../../engine/apply-event.ts';
import type { JobState } from '../../../jobs/decision.ts';
import type { ReadSnippet, Snippet } from '../../../jobs/requests/attachments.ts';
import { retryDelayMs } from '../../../jobs/schedule/schedule.ts';
import type { ClaimedTask } from '../../../store/store.ts';
import { escapeMrkdwn, sanitize } from '../../protocol/slack-text.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import type { SnippetContent, SnippetReader } from '../../workspace/web-api/snippet-reader.ts';
import type { SlackTools } from '../refresh/refresh.ts';

/** After that, a snippet counts as unreadable, so that the reply does not wait for ever. */
const MAX_TRIES = 5;

/** Reads the text snippets attached to a prompt or to replies, so that these can go out. */
export async function readSnippets(tools: SlackTools, task: ClaimedTask): Promise<void> {
  for (;;) {
    const state = await tools.store.transaction((tx) => tx.jobs.lock(task.subject));
    const next = state && nextUnread(state);
    if (next === null) break;
    const { messageTs, snippets } = next;
    const workspace = await tools.workspaces.of(next.teamId);
    const read = await readAll(tools, workspace.snippets, task, snippets).catch((error: unknown) => {
      // Without a token, nothing is known about the snippets: they wait for one.
      if (error instanceof SlackCallError) return { retryAfterMs: null };
      throw error;
    });
    if ('retryAfterMs' in read) {
      const waitMs = read.retryAfterMs ?? retryDelayMs(task.attempts + 1, Math.random());
      await tools.store.transaction((tx) => tx.tasks.retryAt(task.lease, tools.clock.now() + waitMs));
      return;
    }
    await tools.store.transaction(async (tx) => {
      await tx.tasks.fence(task.lease);
      const event = { type: 'snippets_read', messageTs, snippets: read.snippets } as const;
      await applyEvent(tx, task.subject, event, tools.newContext());
    });
  }
  await tools.store.transaction((tx) => tx.tasks.complete(task.lease));
}

/** Those of the prompt, or of the oldest waiting reply; null if there are none. */
function nextUnread({ job, followUps }: JobState) {
  const { teamId } = job;
  if (job.snippets.length > 0) return { teamId, messageTs: null, snippets: job.snippets };
  const reply = followUps.find(({ snippets }) => snippets.length > 0);
  return reply === undefined ? null : { teamId, messageTs: reply.messageTs, snippets: reply.snippets };
}

async function readAll(
  tools: SlackTools,
  reader: SnippetReader,
  task: ClaimedTask,
  snippets: readonly Snippet[],
): Promise<{ readonly snippets: readonly ReadSnippet[] } | { readonly retryAfterMs: number | null }> {
  const maxLength = tools.promptMaxLength;
  const done: ReadSnippet[] = [];
  for (const snippet of snippets) {
    const content = await reader.read(snippet, maxLength);
    tools.log.info('snippet_read', { job_id: task.subject, outcome: outcomeOf(content) });
    if ('kind' in content) {
      done.push(content);
      continue;
    }
    const { name } = { ...snippet, ...content };
    if ('text' in content) done.push({ name, text: escapeMrkdwn(sanitize(content.text)) });
    else if ('problem' in content) done.push({ ...content, name });
    else if (task.attempts + 1 < MAX_TRIES) return content;
    else done.push({ name, problem: 'unreadable' });
  }
  return { snippets: done };
}

function outcomeOf(content: SnippetContent): string {
  if ('text' in content) return 'done';
  if ('kind' in content) return 'no_text';
  return 'problem' in content ? content.problem : 'failed';
}
