import type { Expected, ExpectedThread, Seen, SeenCall, SeenMessage } from './seen.ts';

/** Between two replies that went out together, and not before a quotation in one. */
const SEPARATOR = /\n\n(?!> )/;

/** A call of unknown fate may have happened, and was made again when a person said so. */
function unknownCalls({ calls }: Seen, kind: 'create_job' | 'send_message'): SeenCall[] {
  return calls.filter((call) => call.kind === kind && call.state === 'unknown');
}

/** What the agent was given too often, or not at all. */
export function agentProblems(
  { prompt, given: first, starts, replies }: ExpectedThread,
  seen: Seen,
): string[] {
  const jobs = seen.agentJobs.filter(([given]) => given === first);
  const unclearStarts = unknownCalls(seen, 'create_job').filter((call) => call.prompt === first).length;
  const isStarted = jobs.length >= starts && jobs.length <= starts + unclearStarts;
  const given = jobs.flatMap((job) => job.slice(1).flatMap((message) => message.split(SEPARATOR)));
  const unclear = unknownCalls(seen, 'send_message').flatMap((call) => call.prompt?.split(SEPARATOR) ?? []);
  const isGiven = replies.every((reply) => {
    const times = given.filter((text) => text === reply).length;
    return times >= 1 && times <= 1 + unclear.filter((text) => text === reply).length;
  });
  const isInOrder = unclear.length > 0 || given.join() === replies.join();
  return [
    ...(isStarted ? [] : [`${jobs.length} agent jobs for "${prompt}"`]),
    ...(isGiven && isInOrder
      ? []
      : [`the agent was given ${JSON.stringify(given)}, not ${JSON.stringify(replies)}`]),
  ];
}

/** Calls without an end, posts that the ledger knows nothing of or that were made twice, questions that were not asked. */
export function ledgerProblems({ refused, notAccepted, posted = [] }: Expected, seen: Seen): string[] {
  const { calls, messages } = seen;
  const isOutside = ({ text }: SeenMessage) => posted.some((words) => text.includes(words));
  const posts = messages.flatMap((message) => (isOutside(message) ? [] : (message.callId ?? [])));
  const offered = messages.flatMap(({ offers }) => offers);
  const states = new Map(calls.map(({ id, state }) => [id, state]));
  const refusedCards = calls.filter(({ kind, state }) => kind === 'post_card' && state === 'failed').length;
  return [
    ...calls.flatMap((call) =>
      hasGoodEnd(call, notAccepted) ? [] : [`a call of ${call.kind} is ${call.state}`],
    ),
    ...posts.flatMap((id) =>
      states.get(id) === 'done' ? [] : [`a message of a call that is ${states.get(id)}`],
    ),
    ...(new Set(posts).size === posts.length ? [] : ['two messages of one call']),
    ...calls.flatMap(({ id, kind, state }) => {
      const isPost = kind === 'announce' || kind === 'notify_channel';
      return !isPost || state !== 'done' || posts.includes(id) ? [] : [`no message of a call of ${kind}`];
    }),
    ...calls.flatMap(({ id, kind, state }) => {
      const times = offered.filter((offer) => offer === id).length;
      return times === (state === 'unknown' ? 1 : 0)
        ? []
        : [`${times} questions about a ${kind} that is ${state}`];
    }),
    ...(refusedCards === refused.length ? [] : [`${refusedCards} refused cards`]),
  ];
}

function hasGoodEnd({ kind, state, prompt }: SeenCall, notAccepted: readonly string[]): boolean {
  if (state === 'done') return true;
  if (state === 'unknown') return kind === 'create_job' || kind === 'send_message';
  if (state !== 'failed') return false;
  if (kind === 'create_job') return notAccepted.includes(prompt ?? '');
  return kind === 'post_card' || kind === 'ephemeral';
}
