import type { PageStart, Viewer } from '../../../jobs/lists.ts';
import { decodePage, JOBS_PER_PAGE, listView } from '../../views/list.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import type { CommandArgs, ListenerDeps, PressArgs } from '../deps.ts';
import { namesIn, show } from '../requests/in-time.ts';
import { answer, bestEffort } from '../requests/replies.ts';

/** `/docs-agent list` */
export async function list(deps: ListenerDeps, args: CommandArgs): Promise<void> {
  const { user_id: userId, channel_id: channelId } = args.command;
  await answer(args, await show(deps, () => read(deps, { teamId: deps.teamId, userId, channelId }, null)));
}

/** *Newer* and *Older*: another page takes the place of the list. */
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
  const page = await deps.store.transaction((tx) => tx.lists.page(sight, start, JOBS_PER_PAGE));
  const names = await namesIn(
    deps,
    page.jobs.map(({ prompt }) => prompt),
  );
  return listView(page, { ...sight, workspaceUrl: deps.workspaceUrl, names });
}
