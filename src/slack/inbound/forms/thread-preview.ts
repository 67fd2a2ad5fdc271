import { attachedOf, together } from '../../messages/attached.ts';
import { decodeOfferedThread, type OfferedThread } from '../../protocol/form-data.ts';
import {
  changedMeanwhileView,
  type ThreadLine,
  threadNotReadView,
} from '../../views/forms/thread-preview.ts';
import { SlackCallError } from '../../workspace/web-api/failure.ts';
import type { ListenerDeps, SubmitArgs } from '../deps.ts';
import { inTime } from '../requests/in-time.ts';
import type { Wish } from '../requests/start-job.ts';
import { filledIn, refuseAtField, startFromForm } from './submit.ts';
import { peopleIn, threadContext, toLines } from './thread-lines.ts';

/** The rest of the 3 seconds is for the storing. */
const READ_WITHIN_MS = 1_500;

/** The form with the messages of a thread was submitted: the job starts in that thread. */
export function threadPreviewSubmitted(deps: ListenerDeps) {
  return async (args: SubmitArgs): Promise<void> => {
    const offered = decodeOfferedThread(args.view.private_metadata);
    const { text, project, ticked } = filledIn(deps, args.view);
    const read =
      offered && (await inTime(deps, READ_WITHIN_MS, readTicked(deps, offered, new Set(ticked)), null));
    if (offered === null || read === null) return refuseAtField(args.ack, threadNotReadView(false));
    if ('changed' in read) return refuseAtField(args.ack, changedMeanwhileView(read.changed));
    const { channelId, responseUrl } = offered;
    await startFromForm(deps, args, { channelId, responseUrl, text, project, ...read });
  };
}

/** `changed`: a message that is another than the one that was ticked. Null if Slack does not give the thread. */
async function readTicked(
  { poster, names }: ListenerDeps,
  { channelId, threadTs, messageTs, oldestTs, permalink }: OfferedThread,
  ticked: ReadonlySet<string>,
): Promise<Pick<Wish, 'thread' | 'context' | 'attached'> | { readonly changed: ThreadLine } | null> {
  try {
    const messages = await poster.thread(channelId, threadTs, oldestTs);
    const tickedTs = new Set([...ticked].map((id) => id.split('|', 1)[0]));
    const chosen = messages.filter(({ ts }) => tickedTs.has(ts));
    const known = await names.named(peopleIn(chosen));
    const [changed] = toLines(chosen, known).filter(({ id }) => !ticked.has(id));
    if (changed !== undefined) return { changed };
    const context = threadContext(chosen, known, permalink);
    const lastTs = messages.at(-1)?.ts ?? threadTs;
    const mention = messages.filter(({ ts }) => ts === messageTs);
    const attached = together([...mention, ...chosen].map(attachedOf));
    return { thread: { threadTs, lastTs }, attached, ...(context === undefined ? {} : { context }) };
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    return null;
  }
}
