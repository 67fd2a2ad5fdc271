import { sitesOf } from '../../../engine/tools.ts';
import type { PageStart, Viewer } from '../../../jobs/shown/lists.ts';
import { decodePage, JOBS_PER_PAGE, listView } from '../../views/list.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import type { ListenerDeps, PressArgs } from '../deps.ts';
import { namesIn, show } from '../requests/in-time.ts';
import { bestEffort } from '../requests/private-answers.ts';

/** `list`: the first page. */
export function listAnswer(deps: ListenerDeps, sight: Viewer): Promise<SlackMessage> {
  return show(deps, () => read(deps, sight, null));
}

/** *Newer* and *Older* replace the list by another page. */
export function turnPage(deps: ListenerDeps) {
  return async ({ ack, action, body, respond }: PressArgs): Promise<void> => {
    await ack();
    const channelId = body.channel?.id;
    if (channelId === undefined) return;
    const sight = { teamId: deps.teamId, userId: body.user.id, channelId };
    const page = await show(deps, () => read(deps, sight, decodePage(action.value ?? '')));
    await bestEffort(deps, respond({ response_type: 'ephemeral', replace_original: true, ...page }));
  };
}

async function read(deps: ListenerDeps, sight: Viewer, start: PageStart): Promise<SlackMessage> {
  const page = await deps.store.transaction(async (tx) => {
    const found = await tx.lists.page(sight, start, JOBS_PER_PAGE);
    return { ...found, jobs: await tx.readBudget.shown(found.jobs, deps.clock.now()) };
  });
  const names = await namesIn(
    deps,
    page.jobs.map(({ prompt }) => prompt),
  );
  return listView(page, { ...sight, workspaceUrl: deps.workspaceUrl, names, sites: sitesOf(deps) });
}
