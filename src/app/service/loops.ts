import type { AgentTools } from '../../agent/effects/agent-tools.ts';
import { callAgent, sendFollowUps } from '../../agent/effects/call-agent.ts';
import { checkBatches } from '../../agent/effects/check-batches.ts';
import { checkJob } from '../../agent/effects/check-job.ts';
import { ReadQuota } from '../../agent/effects/read-quota.ts';
import { type LookTools, lookAtPullRequest } from '../../codehost/effects/look-at-pull-request.ts';
import { expireDraft } from '../../engine/apply-event.ts';
import { FairLimit } from '../../engine/claim-fairly.ts';
import { Loop, type TaskHandler } from '../../engine/loop.ts';
import { type RecipeTools, startScheduled } from '../../slack/inbound/recipes/start-recipe.ts';
import { catchUps } from '../../slack/outbound/catch-up/catch-up.ts';
import { readSnippets } from '../../slack/outbound/catch-up/read-snippets.ts';
import { type DigestTools, postDigest } from '../../slack/outbound/digest.ts';
import { lookAtAppMention, lookAtMarks } from '../../slack/outbound/marks.ts';
import { completeSteps, forgetStepToken } from '../../slack/outbound/posts/complete-step.ts';
import { postToSlack } from '../../slack/outbound/posts/post-to-slack.ts';
import { refreshHome } from '../../slack/outbound/refresh/home.ts';
import { refreshNotice, refreshPosts } from '../../slack/outbound/refresh/posts.ts';
import { refreshReceipts } from '../../slack/outbound/refresh/receipts.ts';
import { refreshCard } from '../../slack/outbound/render.ts';
import type { ClaimedTask, Scheduled } from '../../store/store.ts';

/** Separate slots: a slow agent API never keeps Slack waiting, nor do many checks hold up sending. */
const SENDS_AT_ONCE = 32;
/** Together as many as the agent client has connections for. */
const READS_AT_ONCE = 56;
const READS_OF_ENDED_AT_ONCE = 8;
/** The others wait for the store, which batches them: the more there are, the larger its batches. */
const CHECKS_AT_ONCE = 256;
const SLACK_CALLS_AT_ONCE = 64;
/** Threads of this many workspaces; each workspace has one in flight at a time. */
const THREADS_READ_AT_ONCE = 16;
/** One code host may have half of them. */
const LOOKS_AT_ONCE = 16;
/** Anything but a create or message call can be repeated or looked up: a stop need not wait longer. */
export const SHORT_STOP_MS = 10_000;

export interface Tools extends AgentTools, DigestTools, LookTools, RecipeTools {
  /** For each project, across all replicas. */
  readonly readsPerMinute: number;
  readonly requestsInFlight: () => number;
}

export type Loops = ReturnType<typeof createLoops>;

export function createLoops(tools: Tools, stopTimeoutMs: number) {
  const handler =
    (handle: (tools: Tools, task: ClaimedTask) => Promise<void>): TaskHandler =>
    (task) =>
      handle(tools, task);
  const { store, clock, log, requestsInFlight } = tools;
  const shared = { store, clock, log, requestsInFlight, stopWithinMs: SHORT_STOP_MS };
  const batches = checkBatches(store, clock);
  const checks = { batches, readers: new FairLimit(READS_AT_ONCE) };
  const checksOfEnded = { batches, readers: new FairLimit(READS_OF_ENDED_AT_ONCE) };
  const sends = new Loop({
    name: 'send',
    ...shared,
    stopWithinMs: stopTimeoutMs,
    concurrency: SENDS_AT_ONCE,
    handlers: { call_agent: handler(callAgent), send_follow_ups: handler(sendFollowUps) },
  });
  const loops = [
    sends,
    new Loop({
      name: 'check',
      ...shared,
      concurrency: CHECKS_AT_ONCE,
      quota: new ReadQuota(tools.readsPerMinute, { isOfEnded: false }),
      handlers: { check_job: (task) => checkJob(tools, checks, 'check_job', task) },
    }),
    new Loop({
      name: 'check_ended',
      ...shared,
      concurrency: READS_OF_ENDED_AT_ONCE,
      quota: new ReadQuota(tools.readsPerMinute, { isOfEnded: true }),
      handlers: { check_ended_job: (task) => checkJob(tools, checksOfEnded, 'check_ended_job', task) },
    }),
    new Loop({
      name: 'slack',
      ...shared,
      concurrency: SLACK_CALLS_AT_ONCE,
      handlers: {
        post_to_slack: postToSlack(tools),
        complete_step: completeSteps(tools),
        forget_step_token: handler(forgetStepToken),
        refresh_card: handler(refreshCard),
        refresh_receipts: handler(refreshReceipts),
        refresh_posts: handler(refreshPosts),
        refresh_notice: handler(refreshNotice),
        refresh_home: handler(refreshHome),
        expire_draft: handler(expireDraft),
        start_recipe: handler(startScheduled),
        post_digest: handler(postDigest),
      },
    }),
    new Loop({
      name: 'read',
      ...shared,
      concurrency: THREADS_READ_AT_ONCE,
      handlers: {
        catch_up: catchUps(tools),
        read_snippets: handler(readSnippets),
        look_at_marks: handler(lookAtMarks),
        look_at_app_mention: handler(lookAtAppMention),
      },
    }),
    new Loop({
      name: 'look',
      ...shared,
      concurrency: LOOKS_AT_ONCE,
      handlers: { look_at_pull_request: handler(lookAtPullRequest) },
    }),
  ];
  return {
    start: (): void => {
      for (const loop of loops) loop.start();
    },
    /** Tasks were scheduled: the loops that claim them look at once. */
    notify: (scheduled: Scheduled): void => {
      for (const loop of loops) loop.notify(scheduled);
    },
    stop: async (): Promise<void> => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
    stopWithinMs: () => (sends.state().tasksInFlight > 0 ? stopTimeoutMs : SHORT_STOP_MS),
    states: () => loops.map((loop) => loop.state()),
  };
}
