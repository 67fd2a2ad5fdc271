import { isEnded } from '../../../src/jobs/agent-job.ts';
import type { FollowUp } from '../../../src/jobs/follow-ups/follow-up.ts';
import { type Post, postsIn } from './posted.ts';
import type { World } from './world.ts';
import type { Moment } from './world-facts.ts';

/** What the API was seen to say of the job, as long as it said the same in the same turn. */
interface Sight {
  readonly status: string;
  readonly link: string | null;
  /** The message that told of it as an end. */
  told: string | null;
}

/** Messages that tell of an end that an earlier message has told. */
export function endsToldTwice(world: World): string[] {
  const sights: Sight[] = [];
  const see = (status: string, link: string | null) => sights.push({ status, link, told: null });
  return world.moments.flatMap((moment, index) => {
    const { event } = moment;
    const seen = seenBy(moment);
    const last = sights.at(-1);
    if (seen !== null && (last?.status !== seen.status || last.link !== seen.prLink)) {
      see(seen.status, seen.prLink);
    }
    const repeated = postsIn(world, index).flatMap((post) => {
      if (post.end === null) return [];
      if (post.end === 'gone') see('gone', null);
      const sight = aboutWhich(sights, post);
      if (sight === undefined) return [`about nothing: ${post.text}`];
      const again = sight.told === null ? [] : [`${post.text}\nafter: ${sight.told}`];
      sight.told = post.text;
      return again;
    });
    // A turn begins: its end may look like the one before.
    const now = sights.at(-1);
    if (event.type === 'message_accepted' && now !== undefined) see(now.status, now.link);
    return repeated;
  });
}

/** One with a link is about that link, which may be out of sight already. */
function aboutWhich(sights: readonly Sight[], { link }: Post): Sight | undefined {
  return link === null
    ? sights.at(-1)
    : sights.findLast((sight) => sight.link === link && isEnded(sight.status));
}

function seenBy({ event, before: { job } }: Moment) {
  const agentJob = 'agentJob' in event ? event.agentJob : null;
  const isNew = event.type === 'job_created' || event.type === 'job_found';
  return agentJob !== null && (isNew || agentJob.id === job.agentJob?.id) ? agentJob : null;
}

/** Messages by which more replies would be included than the agent has taken. */
export function repliesToldTwice(world: World): string[] {
  let taken = 0;
  let told = 0;
  return world.moments.flatMap((moment, index) => {
    taken += takenBy(moment).length;
    return postsIn(world, index).flatMap(({ text, included }) => {
      told += included;
      return told > taken ? [`${told} of ${taken} replies told by: ${text}`] : [];
    });
  });
}

/** Mentions of people who neither asked, nor replied in this turn, nor must act. */
export function needlessMentions(world: World): string[] {
  const waiting = new Set<string>();
  return world.moments.flatMap((moment, index) => {
    const { before, after } = moment;
    const concerned = new Set([before.job.requesterId, ...waiting]);
    for (const { userId } of after.filter(isToDecide)) concerned.add(userId);
    const posts = postsIn(world, index);
    const taken = takenBy(moment);
    const isNewTurn = taken.length > 0 && before.job.stage.kind === 'ended';
    if (isNewTurn || posts.some(({ text }) => text.includes('Somebody continued'))) waiting.clear();
    for (const { userId } of taken) waiting.add(userId);
    return posts.flatMap(({ text, mentioned }) =>
      mentioned.every((userId) => concerned.has(userId)) ? [] : [text],
    );
  });
}

function isToDecide({ state }: FollowUp): boolean {
  return state === 'not_sent' || state === 'unknown';
}

/** The replies that the agent took then. */
function takenBy({ before, after }: Moment): FollowUp[] {
  const sentBefore = new Set(before.followUps.flatMap(({ id, state }) => (state === 'sent' ? [id] : [])));
  return after.filter(({ id, state }) => state === 'sent' && !sentBefore.has(id));
}

const RECEIPTS: Readonly<Record<FollowUp['state'], string | null>> = {
  waiting: 'eyes',
  sending: 'eyes',
  sent: 'done',
  not_sent: 'warning',
  unknown: 'warning',
  muted: 'muted',
  aside: 'aside',
  // *mute* and *unmute*, to which the thread has the answer, and what is not there any more.
  excluded: null,
  withdrawn: null,
};

/** Replies at which Slack shows another receipt than what became of them, or none. */
export function wrongReceipts({ followUps, receipts }: World): string[] {
  return [...followUps.values()].flatMap(({ messageTs, state, text }) => {
    const shown = receipts.get(messageTs) ?? null;
    return shown === RECEIPTS[state] ? [] : [`“${text}” is ${state}, and shows: ${shown}`];
  });
}
