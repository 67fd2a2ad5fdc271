import { applyEvent } from '#engine/apply-event.ts';
import type { JobState } from '#jobs/decide/decision-builder.ts';
import type { ReadSnippet, Snippet } from '#jobs/requests/attachments.ts';
import { retryDelayMs } from '#jobs/schedule/schedule.ts';
import type { ClaimedTask } from '#store/store.ts';
import { escapeMrkdwn, sanitize } from '../protocol/slack-text.ts';
import { failureIn } from '../workspace/caller.ts';
import type { SlackTools } from './refresh.ts';

/** Then, the reply goes out without the snippet. */
const MAX_TRIES = 5;

export async function readSnippets(tools: SlackTools, task: ClaimedTask): Promise<void> {
  const { store, clock } = tools;
  const { subject, lease, attempts } = task;
  for (;;) {
    const state = await store.transaction((tx) => tx.jobs.lock(subject));
    const next = state && nextUnread(state);
    if (state === null || next === null) break;
    const read = await readAll(tools, task, state.job.teamId, next.snippets).catch((error: unknown) => {
      // Without a token, the snippets wait.
      failureIn(error);
      return { retryAfterMs: null };
    });
    if ('retryAfterMs' in read) {
      const waitMs = read.retryAfterMs ?? retryDelayMs(attempts + 1, Math.random());
      return store.transaction((tx) => tx.tasks.retryAt(lease, clock.now() + waitMs));
    }
    await store.transaction(async (tx) => {
      await tx.tasks.fence(lease);
      const event = { type: 'snippets_read', messageTs: next.messageTs, snippets: read } as const;
      await applyEvent(tx, subject, event, tools.newContext());
    });
  }
  await store.transaction((tx) => tx.tasks.complete(lease));
}

function nextUnread({ job, followUps }: JobState) {
  if (job.snippets.length > 0) return { messageTs: null, snippets: job.snippets };
  return followUps.find(({ snippets }) => snippets.length > 0) ?? null;
}

async function readAll(
  { workspaces, log, promptMaxLength }: SlackTools,
  { subject, attempts }: ClaimedTask,
  teamId: string,
  snippets: readonly Snippet[],
): Promise<readonly ReadSnippet[] | { readonly retryAfterMs: number | null }> {
  const { snippets: reader } = await workspaces.of(teamId);
  const done: ReadSnippet[] = [];
  const note = (outcome: string) => log.info('snippet_read', { job_id: subject, outcome });
  for (const snippet of snippets) {
    const content = await reader.read(snippet, promptMaxLength);
    if ('kind' in content) {
      note('no_text');
      done.push(content);
      continue;
    }
    const { name } = { ...snippet, ...content };
    if ('text' in content) {
      note('done');
      done.push({ name, text: escapeMrkdwn(sanitize(content.text)) });
    } else if ('problem' in content) {
      note(content.problem);
      done.push({ ...content, name });
    } else {
      note('failed');
      if (attempts + 1 < MAX_TRIES) return content;
      done.push({ name, problem: 'unreadable' });
    }
  }
  return done;
}
