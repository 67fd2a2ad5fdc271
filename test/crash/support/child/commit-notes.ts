import type { CallKind, CallOutcome, CallRequest } from '../../../../src/jobs/call.ts';
import type { Decision } from '../../../../src/jobs/decide/decision-builder.ts';
import type { Job } from '../../../../src/jobs/job.ts';
import { draftIn } from '../../../../src/slack/outbound/post-to-slack.ts';
import type { ClaimedTask, Lease, LedgerCall, Transaction } from '../../../../src/store/store.ts';

/**
 * What only reads, holds on to a task for longer, or goes along with what has a name: with the outcome of a call or
 * check, with a task that is planned, put off or ends, or with a job. All else gives its commit a name.
 */
const SILENT: Readonly<Record<string, string>> = {
  jobs: 'lock lockOnly get findByThread findByRefusedCard lockOpening requestedBy ofAgentJob readUnlocked',
  inboundRequests: 'isKnown',
  followUps: 'withStaleReceipts',
  calls: 'next holdSince get jobOf posted agentCallsStartedAt agentCallsSince isAgentCallUnderWay',
  channelSettings: 'get noticeChannels',
  checks: 'read refreshCardsOf',
  tasks:
    'plannedAfter shortenLeases renew fence isHeld leaseNowMs firstFreeMs nextDueAtMs runNowUnlessLocked runGroupNow',
  places: 'closed',
  lists: 'page newestOf recentOf findByIdentifier callsOf',
  replicas: 'report leave',
  readBudget: 'of paused shown endPause slowDown',
  budgetQueue: 'join waiting leave lockPause paused changePause pass',
  pullRequests: 'get jobsOf watch recordCheck',
  catchUps: 'readFirst next nextAtMs retryAt giveUp dropCursor drop',
  stepTokens: 'get keep forget',
  earlyReplies: 'has',
  hookAnswers: 'claim',
  audit: 'record',
  recipes: 'lockStarts get lock',
  schedules: 'servedUntilMs leaveAllBut follow',
  reports: 'jobs projects startedAgain busiestHour',
};

function isSilent(name: string): boolean {
  const [room = '', member = ''] = name.split('.');
  return SILENT[room]?.split(' ').includes(member) === true;
}

const REMEMBER = 'inboundRequests.remember';

/** Goes along with the outcome of a call, or not: others may have requested a call in the lane by then. */
const ENDS_OF_LANES: ReadonlySet<string> = new Set([
  'end post_to_slack',
  'end call_agent',
  'end complete_step',
]);

/** Goes along with a page that was read, or not: others may have asked for a thread of the workspace to be read. */
const NEXT_PAGE = 'put off catch_up';

/** Calls are known to the transactions that start and settle them by their ids only. */
const kinds = new Map<string, CallKind | 'draft'>();

type Action = { readonly name: string; readonly args: readonly unknown[]; readonly result: unknown };

/** The transaction, which notes in `actions` what is done in it. */
export function watched(tx: Transaction, actions: Action[]): Transaction {
  const room = <T extends object>(of: T, path: string): T =>
    new Proxy(of, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key);
        const name = `${path}${String(key)}`;
        if (typeof member !== 'function') return isRoom(member) ? room(member, `${name}.`) : member;
        // The queries of a feature, named by their class.
        if (name === 'queries') {
          return (OfFeature: { name: string }) =>
            room(member.call(target, OfFeature), `${lowerFirst(OfFeature.name)}.`);
        }
        return async (...args: unknown[]) => {
          const result: unknown = await member.apply(target, args);
          actions.push({ name, args, result });
          return result;
        };
      },
    });
  return room(tx, '');
}

function lowerFirst(name: string): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}

function isRoom(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The names of the commit that ends a transaction; none if it changed nothing. A claim of several kinds has several. */
export function commitNames(actions: readonly Action[]): string[] {
  for (const { result } of actions) {
    const call = isRoom(result) && 'call' in result ? result.call : result;
    if (isCall(call)) kinds.set(call.id, kindOf(call.request));
  }
  const claimed = actions.flatMap((action) =>
    action.name === 'tasks.claim' ? (action.result as ClaimedTask[]) : [],
  );
  if (claimed.length > 0) return [...new Set(claimed.map(({ kind }) => `claim ${kind}`))];
  const isSettled = actions.some(
    ({ name, args }) => name === 'calls.recordOutcome' || settledIn(name, args) !== undefined,
  );
  const isRead = actions.some(({ name }) => name === 'catchUps.pageRead');
  const parts = [...new Set(actions.flatMap(partOf))].filter(
    (part) => !(isSettled && ENDS_OF_LANES.has(part)) && !(isRead && part === NEXT_PAGE),
  );
  const decisions = actions.flatMap(({ name, args }) => (name === 'write' ? [args[0] as Decision] : []));
  if (parts.length === 0 && decisions.length === 0) return [];
  const what = parts.join(', ') || whatElse(actions);
  const names = decisions.flatMap(({ job, calls }) => calls.map(({ request }) => callNameOf(request, job)));
  if (names.length === 0) return [what];
  // What was written to the program asks for a job.
  const isRequest = names.some((name) => name === 'post_card' || name === 'notify_requester');
  return [`${isRequest ? what.replace(/^store reply$/, 'store message') : what} → ${names.join(', ')}`];
}

/** What a transaction without a part of its own has decided. */
function whatElse(actions: readonly Action[]): string {
  const fenced = actions.find(({ name }) => name === 'tasks.fence');
  if (fenced !== undefined) return taskKindOf(fenced.args[0] as Lease);
  return actions.some(({ name }) => name === REMEMBER) ? 'store edit' : 'store press';
}

function isCall(value: unknown): value is LedgerCall {
  return typeof value === 'object' && value !== null && 'request' in value && 'lane' in value;
}

function partOf({ name, args, result }: Action): string[] {
  if (isSilent(name) || name === 'tasks.claim') return [];
  const settled = settledIn(name, args);
  if (settled !== undefined) return [outcomeOf(settled.callId, settled)];
  if (name === 'write') return [];
  const [first, second] = args;
  switch (name) {
    case REMEMBER:
      return result === true && (first as string[]).length > 0
        ? [`store ${interactionOf(first as string[])}`]
        : [];
    case 'channelSettings.replace':
      return ['save settings'];
    case 'readBudget.put':
      return ['count a look-up'];
    case 'homes.opened':
      return ['open home'];
    case 'calls.start':
      return [`start ${kinds.get(first as string)}`];
    case 'calls.recordOutcome':
      return [outcomeOf(first as string, second as CallOutcome)];
    case 'tasks.complete':
      return [`end ${taskKindOf(first as Lease)}`];
    case 'tasks.delayUntil':
    case 'tasks.retryAt':
    case 'tasks.repeat':
      return [`put off ${taskKindOf(first as Lease)}`];
    case 'tasks.markUnknown':
      return taskKindOf(first as Lease) === 'post_digest' ? ['start post_digest'] : [];
    case 'schedules.serve':
      return ['serve the moment'];
    case 'recipes.put':
      return ['note the recipe'];
    case 'hookAnswers.put':
      return ['answer the webhook'];
    case 'checks.endUnchanged':
      return ['put off unchanged checks'];
    case 'tasks.schedule':
      return [`plan ${(first as { kind: string }).kind}`];
    case 'catchUps.pageRead':
      return ['end catch_up'];
    case 'catchUps.request':
      return ['plan catch_up'];
    case 'catchUps.requestLive':
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

/** A decision settles the call to the agent that its event answers. */
function settledIn(name: string, [first]: readonly unknown[]): Decision['endedCall'] {
  return name === 'write' ? (first as Decision).endedCall : undefined;
}

function outcomeOf(callId: string, { state }: CallOutcome): string {
  return `${state} ${kinds.get(callId)}`;
}

function interactionOf([key = '']: readonly string[]): string {
  if (key.startsWith('trigger:')) return 'command';
  if (key.startsWith('view:')) return 'form';
  if (key.startsWith('function:')) return 'step';
  if (key.startsWith('reaction:')) return 'mark';
  if (key.startsWith('mention:')) return 'answered mention';
  return key.startsWith('press:') ? 'press' : 'reply';
}

function taskKindOf({ id }: Lease): string {
  return id.replace(/:.*$/, '');
}

function callNameOf(request: CallRequest, { offers = [] }: Job): string {
  if (request.kind === 'post_card') {
    return offers.some(({ about }) => about.kind === 'draft') ? 'post_card of a draft' : request.kind;
  }
  if (request.kind !== 'announce') return request.kind;
  const { announcement } = request;
  return announcement.kind === 'draft' && announcement.number > 1 ? 'another draft' : announcement.kind;
}

/** More follows from the post of a draft than from those of other announcements. */
function kindOf(request: CallRequest): CallKind | 'draft' {
  return draftIn({ request }) === null ? request.kind : 'draft';
}
