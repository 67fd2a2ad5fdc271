import type { ModelWorld } from './model-world.ts';
import type { People } from './people.ts';
import { scene } from './scene.ts';

/** Errors of the program itself, whatever the world around it does. */
const OWN_ERRORS =
  /"level":"error".*"(task_failed|loop_failed|task_not_retried|leases_not_renewed|inbound_request_not_stored|listener_failed)"/;

const CARD_SPACING_MS = 3_000;

/**
 * The parts of the promise that were not kept, in words: the invariants, and what they do not see: tasks of no job, the
 * program's errors, and time.
 */
export async function judge(world: ModelWorld, people: People): Promise<string[]> {
  const { slack, replicas, troubles, api, watch } = world;
  const { closed } = scene;
  const left = (await replicas.leftOver()).filter((task) => !isNoticeIn(task, closed));
  const places = [...scene.channels, ...closed, ...scene.people];
  const messages = (await Promise.all(places.map((place) => slack.control.messages(place)))).flat();
  const known = api.jobs.filter(({ id }) => !troubles.vanished.has(id));
  const ends = new Map(known.map(({ id }) => [id, world.describe(id)]));
  return [
    ...left.map((task) => `still open: ${task}`),
    ...replicas.log.filter((line) => OWN_ERRORS.test(line)),
    ...editedTooOften(world),
    ...watch.rest({ messages, accepted: acceptedOf(world, people), unclear: marksOf(people), closed, ends }),
  ];
}

/** A notice is kept for a week, in case the bot is let in. */
function isNoticeIn(task: string, closed: readonly string[]): boolean {
  return task.includes('notice:') && closed.some((channel) => task.includes(`:${channel}`));
}

/** Requests, and replies that still stand, that the program has confirmed. */
function acceptedOf(world: ModelWorld, { asked, replies }: People): string[] {
  const taken = confirmed(world);
  return [
    ...asked
      .filter(({ isAccepted, messageTs }) => isAccepted || taken.has(messageTs))
      .map(({ mark }) => mark),
    ...replies
      .filter(({ isSendable, isDeleted, isConfirmed }) => isSendable && !isDeleted && isConfirmed)
      .map(({ mark }) => mark),
  ];
}

function marksOf({ asked, replies }: People): string[] {
  return [...asked, ...replies.filter(({ isSendable }) => isSendable)].map(({ mark }) => mark);
}

/** Of a mention, either of the two events starts a job. */
function confirmed({ slack }: ModelWorld): ReadonlySet<unknown> {
  return new Set(
    slack.deliveries().flatMap(({ payload, acknowledgedAtMs }) => {
      const { type, channel_type: channelType, ts } = (payload.event ?? {}) as Record<string, unknown>;
      const asks = type === 'app_mention' || channelType === 'im';
      return acknowledgedAtMs !== null && asks ? [ts] : [];
    }),
  );
}

/** Cards that were edited twice in three seconds. A machine that slept sends late what it began before. */
function editedTooOften({ edits, slack, time }: ModelWorld): string[] {
  if (time.hasSlept) return [];
  const lastAtMs = new Map<string, number>();
  return edits.flatMap(({ call, atMs }) => {
    if (slack.wasLimited(call)) return [];
    const ts = String(call.args.ts);
    const gapMs = atMs - (lastAtMs.get(ts) ?? Number.NEGATIVE_INFINITY);
    lastAtMs.set(ts, atMs);
    return gapMs < CARD_SPACING_MS ? [`the card ${ts} is edited again after ${gapMs} ms`] : [];
  });
}
