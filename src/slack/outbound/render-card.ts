import { type EngineTools, sitesOf } from '../../engine/tools.ts';
import type { Queue } from '../../jobs/follow-ups/follow-up-queue.ts';
import { type Job, requestersOf } from '../../jobs/job.ts';
import { mentionedIds } from '../protocol/slack-text.ts';
import type { SlackMessage } from '../views/parts/message.ts';
import { cardView } from '../views/thread/card.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** The card as things are now, with the names of the people on it. */
export async function renderCard(
  tools: Pick<EngineTools, 'newContext'>,
  { names }: Workspace,
  job: Job,
  queue: Queue,
): Promise<SlackMessage> {
  return cardView(job, {
    queue,
    names: await names.named([...requestersOf(job), ...dismissersOf(job), ...mentionedIds(job.prompt)]),
    sites: sitesOf(tools),
  });
}

function dismissersOf({ stage }: Job): string[] {
  return stage.kind === 'dropped' && stage.byUserId !== null ? [stage.byUserId] : [];
}
