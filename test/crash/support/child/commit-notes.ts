import type { CallKind, CallRequest } from '../../../../src/jobs/call.ts';
import type { Decision } from '../../../../src/jobs/decision.ts';
import type { NextPost, SettledPost } from '../../../../src/store/queries/calls/posts.ts';
import type {
  CallOutcome,
  ClaimedTask,
  Lease,
  LedgerCall,
  Transaction,
} from '../../../../src/store/store.ts';

/** What only reads, or holds on to a task for longer. All else that a transaction does gives its commit a name. */
const SILENT = new Set([
  'jobs.lock',
  'jobs.get',
  'jobs.findByThread',
  'jobs.findKeeping',
  'jobs.lockOpening',
  'jobs.requestedBy',
  'jobs.ofAgentJob',
  'jobs.cardDrawnAtMs',
  'inboundRequests.isKnown',
  'followUps.withStaleReceipts',
  'calls.next',
  'calls.hold',
  'calls.endHold',
  'tasks.doubt',
  'calls.get',
  'calls.agentCallsStartedAt',
  'calls.agentCallsSince',
  'channelSettings.get',
  'checks.read',
  'posts.next',
  'posts.fence',
  'turnLengths.all',
  'checks.withLastCheck',
  'lists.page',
  'lists.openOf',
  'lists.withPullRequest',
  'lists.latestOf',
  'lists.meant',
  'lists.callsOf',
  'lists.unsentOf',
  'tasks.renew',
  'tasks.fence',
  'tasks.isHeld',
  'tasks.leaseNowMs',
  'tasks.nextDueAtMs',
  'tasks.runNow',
  'readBudget.wholeAtMs',
  'budgetQueue.join',
  'budgetQueue.waiting',
  'budgetQueue.leave',
  'catchUps.hurry',
  'catchUps.next',
  'catchUps.nextAtMs',
  // What these write shows in the task that is put off.
  'catchUps.retryAt',
  'catchUps.giveUp',
  'catchUps.dropCursor',
  'catchUps.drop',
]);

const REMEMBER = 'inboundRequests.remember';

/** Goes along with the outcome of a post, or not: others may have wanted a post in the lane by then. */
const END_OF_LANE = 'end post_to_slack';

/** Goes along with a page that was read, or not: others may have wanted a thread of the workspace to be read. */
const NEXT_PAGE = 'put off catch_up';

/** Calls are known to the transactions that start and settle them by their ids only. */
const kinds = new Map<string, CallKind>();

type Deed = { readonly name: string; readonly args: readonly unknown[]; readonly result: unknown };

/** The transaction, which notes in `deeds` what is done in it. */
export function watched(tx: Transaction, deeds: Deed[]): Transaction {
  const room = <T extends object>(of: T, path: string): T =>
    new Proxy(of, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key);
        const name = `${path}${String(key)}`;
        if (typeof member !== 'function') return isRoom(member) ? room(member, `${name}.`) : member;
        return async (...args: unknown[]) => {
          const result: unknown = await member.apply(target, args);
          deeds.push({ name, args, result });
          return result;
        };
      },
    });
  return room(tx, '');
}

function isRoom(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The names of the commit that ends a transaction; none if it changed nothing. A claim of several kinds has several, as have posts of several lanes. */
export function commitNames(deeds: readonly Deed[]): string[] {
  for (const { name, result } of deeds) {
    if (isCall(result)) kinds.set(result.id, result.request.kind);
    if (name !== 'posts.next') continue;
    for (const { call } of (result as ReadonlyMap<string, NextPost>).values())
      kinds.set(call.id, call.request.kind);
  }
  const claimed = deeds.flatMap((deed) =>
    deed.name === 'tasks.claim' ? (deed.result as ClaimedTask[]) : [],
  );
  if (claimed.length > 0) return [...new Set(claimed.map(({ kind }) => `claim ${kind}`))];
  const isSettled = deeds.some(({ name }) => name === 'calls.settle' || name === 'posts.settle');
  const isRead = deeds.some(({ name }) => name === 'catchUps.pageRead');
  const parts = [...new Set(deeds.flatMap(partOf))].filter(
    (part) => !(isSettled && part === END_OF_LANE) && !(isRead && part === NEXT_PAGE),
  );
  // Those of several lanes go together, or not.
  if (deeds.some(({ name }) => name === 'posts.start' || name === 'posts.settle')) return parts;
  const decisions = deeds.flatMap(({ name, args }) => (name === 'write' ? [args[0] as Decision] : []));
  if (parts.length === 0 && decisions.length === 0) return [];
  const what = parts.join(', ') || whatElse(deeds);
  const wishes = decisions.flatMap(({ calls }) => calls.map(({ request }) => wishOf(request)));
  if (wishes.length === 0) return [what];
  // What was written to the program asks for a job.
  const isRequest = wishes.some((wish) => wish === 'post_card' || wish === 'tell_requester');
  return [`${isRequest ? what.replace(/^store reply$/, 'store message') : what} → ${wishes.join(', ')}`];
}

/** What a transaction without a part of its own has decided. */
function whatElse(deeds: readonly Deed[]): string {
  const fenced = deeds.find(({ name }) => name === 'tasks.fence');
  if (fenced !== undefined) return taskKindOf(fenced.args[0] as Lease);
  return deeds.some(({ name }) => name === REMEMBER) ? 'store edit' : 'store press';
}

function isCall(value: unknown): value is LedgerCall {
  return typeof value === 'object' && value !== null && 'request' in value && 'lane' in value;
}

function partOf({ name, args, result }: Deed): string[] {
  if (SILENT.has(name) || name === 'write' || name === 'tasks.claim') return [];
  const [first, second] = args;
  switch (name) {
    case REMEMBER:
      return result === true ? [`store ${interactionOf(first as string[])}`] : [];
    case 'channelSettings.replace':
      return ['save settings'];
    case 'homes.opened':
      return ['open home'];
    case 'calls.start':
      return [`start ${kinds.get(first as string)}`];
    case 'calls.settle':
      return [`${(second as CallOutcome).state} ${kinds.get(first as string)}`];
    case 'posts.start':
      return [...(result as ReadonlySet<string>)].map((id) => `start ${kinds.get(id)}`);
    case 'posts.settle':
      return (first as SettledPost[])
        .filter(({ callId }) => (result as ReadonlySet<string>).has(callId))
        .map(({ callId, state }) => `${state} ${kinds.get(callId)}`);
    case 'posts.endLanes':
      return (first as Lease[])
        .filter(({ taskId }) => (result as ReadonlySet<string>).has(taskId))
        .map((lease) => `end ${taskKindOf(lease)}`);
    case 'tasks.complete':
      return [`end ${taskKindOf(first as Lease)}`];
    case 'tasks.delayUntil':
    case 'tasks.retryAt':
    case 'tasks.repeat':
      return [`put off ${taskKindOf(first as Lease)}`];
    case 'checks.endUnchanged':
      return ['put off quiet checks'];
    case 'checks.refreshCards':
      return ['plan refresh_card'];
    case 'tasks.schedule':
      return [`plan ${(first as { kind: string }).kind}`];
    case 'catchUps.pageRead':
      return ['end catch_up'];
    case 'catchUps.want':
      return ['plan catch_up'];
    case 'catchUps.wantLive':
      return (result as ReadonlyMap<string, number>).size > 0 ? ['plan catch_up'] : [];
    case 'jobs.cardDrawn':
      return ['draw card'];
    case 'earlyReplies.put':
      return ['until the card is known'];
    case 'earlyReplies.take':
      return (result as unknown[]).length > 0 ? ['take in early replies'] : [];
    case 'followUps.receiptsTried':
      return ['try receipts'];
    case 'followUps.receiptShown':
      return ['receipt shown'];
    default:
      return [name];
  }
}

function interactionOf([key = '']: readonly string[]): string {
  if (key.startsWith('trigger:')) return 'command';
  if (key.startsWith('view:')) return 'form';
  if (key.startsWith('mention:')) return 'answered mention';
  return key.startsWith('press:') ? 'press' : 'reply';
}

function taskKindOf({ taskId }: Lease): string {
  return taskId.replace(/:.*$/, '');
}

function wishOf(request: CallRequest): string {
  return request.kind === 'announce' ? request.announcement.kind : request.kind;
}
