import type { AgentTools } from '#agent/agent-tools.ts';
import { callAgent, sendFollowUps } from '#agent/call-agent.ts';
import { checkBatches, checkJob } from '#agent/check-job.ts';
import { readQuota } from '#agent/read-quota.ts';
import { expireDraft } from '#engine/apply-event.ts';
import { fairLimit } from '#engine/claim-fairly.ts';
import { createLoop, type LoopOptions, type TaskHandler, type TaskHandlers } from '#engine/loop.ts';
import type { FeatureTools, Running } from '#features/feature.ts';
import { catchUps, readSnippets } from '#slack/outbound/catch-up.ts';
import { draftFromAppMention, draftFromReactions } from '#slack/outbound/marks.ts';
import { postToSlack } from '#slack/outbound/post-to-slack.ts';
import { refreshHome } from '#slack/outbound/refresh-home.ts';
import { refreshCard, refreshNotice, refreshPosts, refreshReceipts } from '#slack/outbound/render.ts';
import type { Known } from '#slack/workspace/workspace.ts';
import type { CheckKind } from '#store/queries/checks.ts';
import type { ClaimedTask, Scheduled } from '#store/store.ts';

/** Separate loops keep a slow agent API from delaying Slack, and checks from delaying sends. */
const AT_ONCE = {
  send: 32,
  /** Most wait for the store, which batches them. */
  check: 256,
  check_ended: 8,
  slack: 64,
  /** Workspaces, each with one thread in flight. */
  read: 16,
  /** A code host may take half. */
  look: 16,
};
/** Together with `check_ended`, as many as the agent client has connections. */
const READS_AT_ONCE = 56;
/** All calls but creates and messages can be repeated or looked up. */
export const SHORT_STOP_MS = 10_000;

export interface Tools extends AgentTools, FeatureTools {
  readonly readsPerMinute: number;
  readonly requestsInFlight: () => number;
  readonly known: Known;
}

export function createLoops(tools: Tools, stopTimeoutMs: number, features: readonly Running[]) {
  const { store, clock, readsPerMinute } = tools;
  const loop = (
    name: keyof typeof AT_ONCE,
    handlers: TaskHandlers,
    options: Pick<LoopOptions, 'quota'> & { readonly stopWithinMs?: number } = {},
  ) => {
    const own = { name, handlers, concurrency: AT_ONCE[name], stopWithinMs: SHORT_STOP_MS };
    return createLoop({ ...tools, ...own, ...options });
  };
  const handler =
    (handle: (tools: Tools, task: ClaimedTask) => Promise<void>): TaskHandler =>
    (task) =>
      handle(tools, task);
  const tasksOf = (name: 'slack' | 'read' | 'look'): TaskHandlers =>
    Object.assign({}, ...features.map(({ tasks }) => tasks?.[name]));
  const batches = checkBatches(store, clock);
  const checkLoop = (name: 'check' | 'check_ended', kind: CheckKind, readsAtOnce: number) => {
    const checks = { batches, inTurn: fairLimit(readsAtOnce) };
    const quota = readQuota(readsPerMinute, { isOfEnded: name === 'check_ended' });
    return loop(name, { [kind]: (task: ClaimedTask) => checkJob(tools, checks, kind, task) }, { quota });
  };
  const sends = loop(
    'send',
    { call_agent: handler(callAgent), send_follow_ups: handler(sendFollowUps) },
    { stopWithinMs: stopTimeoutMs },
  );
  const loops = [
    sends,
    checkLoop('check', 'check_job', READS_AT_ONCE),
    checkLoop('check_ended', 'check_ended_job', AT_ONCE.check_ended),
    loop('slack', {
      post_to_slack: postToSlack(tools),
      refresh_card: handler(refreshCard),
      refresh_receipts: handler(refreshReceipts),
      refresh_posts: handler(refreshPosts),
      refresh_notice: handler(refreshNotice),
      refresh_home: handler(refreshHome),
      expire_draft: handler(expireDraft),
      ...tasksOf('slack'),
    }),
    loop('read', {
      catch_up: catchUps(tools),
      read_snippets: handler(readSnippets),
      look_at_marks: handler(draftFromReactions),
      look_at_app_mention: handler(draftFromAppMention),
      ...tasksOf('read'),
    }),
    loop('look', tasksOf('look')),
  ];
  return {
    start: (): void => {
      for (const one of loops) one.start();
    },
    notify: (scheduled: Scheduled): void => {
      for (const one of loops) one.notify(scheduled);
    },
    stop: async (): Promise<void> => {
      await Promise.all(loops.map((one) => one.stop()));
    },
    stopWithinMs: () => (sends.state().tasksInFlight > 0 ? stopTimeoutMs : SHORT_STOP_MS),
    states: () => loops.map((one) => one.state()),
  };
}
