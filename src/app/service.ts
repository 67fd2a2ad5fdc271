import { createAgentClient } from '../agent/client/client.ts';
import { AnsweredJobs } from '../agent/effects/agent-tools.ts';
import { hasJob } from '../agent/effects/check-job.ts';
import { createCodeHosts } from '../codehost/create-code-hosts.ts';
import { pullRequestAdoption } from '../codehost/effects/adopt-pull-requests.ts';
import { farTasks } from '../engine/far-tasks.ts';
import { makeReport } from '../engine/reports.ts';
import { retentionJob } from '../engine/retention-job.ts';
import { type Clock, systemClock } from '../engine/runtime/clock.ts';
import { createBodyReader, serveRoutes } from '../engine/runtime/http-server.ts';
import type { Logger } from '../engine/runtime/redact.ts';
import { planSchedules } from '../engine/schedules.ts';
import type { MadeReport, Period } from '../jobs/report/report.ts';
import { twinEvents } from '../slack/inbound/messages/twin-events.ts';
import { hookRoutes } from '../slack/inbound/recipes/hooks.ts';
import { refusalRecorder } from '../slack/inbound/requests/door.ts';
import { createConnection, createSlackApp } from '../slack/inbound/routes.ts';
import { missedReplies } from '../slack/outbound/catch-up/missed-replies.ts';
import { sessionStatus } from '../slack/outbound/refresh/session-status.ts';
import { readableText } from '../slack/protocol/slack-text.ts';
import { boltLogger } from '../slack/workspace/web-api/http.ts';
import type { SignedInAs } from '../slack/workspace/workspace.ts';
import { readDataDir } from '../store/backup.ts';
import { heldLockWords } from '../store/inspect/held-locks.ts';
import { openStore } from '../store/open.ts';
import { backgroundStore, instrumentedStore, type Store } from '../store/store.ts';
import type { Config } from './config/config.ts';
import {
  type HealthCheck,
  healthRoutes,
  type Readiness,
  readiness,
  sharedLook,
} from './operations/health.ts';
import { observedLogger } from './operations/logger.ts';
import { createMetrics } from './operations/metrics/metrics.ts';
import { stateReader, workProblems, workWarnings } from './operations/program-state.ts';
import { contextFactory, hooksIn, recurringIn, settingsOf } from './service/context.ts';
import { createLoops, SHORT_STOP_MS, type Tools } from './service/loops.ts';
import { explainConnection, explainListening, serveWorkspaces } from './service/workspaces.ts';

/** The whole program in one object. Tests start it in memory. */
export interface Service {
  /** Resolves once requests are accepted and tasks are done. On StartError or StoreError, it is stopped. */
  start(): Promise<void>;
  /**
   * Accepts no more requests, finishes what is in flight, and closes everything. It is not ready from the
   * outset.
   */
  stop(): Promise<void>;
  stopWithinMs(): number;
  readiness(): Promise<Readiness>;
  /** Where Slack's requests are served (HTTP mode), once started. */
  readonly port: number;
  /** Where health checks and metrics are served, once started: the same port unless HEALTH_PORT is set. */
  readonly healthPort: number;
  /** Its bot, once started; null where there may be many workspaces. */
  readonly signedInAs: SignedInAs | null;
}

export interface ServiceOptions {
  readonly log: Logger;
  /** Default: the system's clock. A given clock also times the leases. */
  readonly clock?: Clock;
  /**
   * In HTTP mode: how long a stop keeps accepting requests while `/readyz` says that the program is not
   * ready, so that a load balancer notices before it finds a closed port. Default: 0.
   */
  readonly lingerMs?: number;
  readonly logLinesDropped?: () => number;
}

/** A sender that waits for each answer is ready with its next request by then. */
const NEXT_REQUEST_WITHIN_MS = 5;

export function createService(config: Config, options: ServiceOptions): Service {
  const { clock = systemClock, lingerMs = 0 } = options;
  const metrics = createMetrics(options.logLinesDropped);
  const log = observedLogger(options.log, metrics.observe);
  const checks: HealthCheck[] = [];
  let resources = new AsyncDisposableStack();
  let stopWithinMs = () => SHORT_STOP_MS;
  let port = config.http.port;
  let healthPort = config.http.healthPort;
  let signedInAs: SignedInAs | null = null;

  async function start(): Promise<void> {
    resources.defer(() => metrics.close());
    const logger = boltLogger(log);
    const { apiUrl, transport } = config.slack;
    const store = instrumentedStore(await openStore(config.store, options.clock?.now), metrics.transaction);
    resources.defer(() => store.close());
    const inBackground = backgroundStore(store);
    const missed = missedReplies(inBackground, clock, log);
    resources.defer(() => missed.stop());
    const served = await serveWorkspaces(config, { store, clock, log, logger, onInstalled: missed.lookFor });
    const { workspaces, onEnded } = served;
    signedInAs = served.signedInAs;
    const apiKeyOf = (projectId: string) => config.agent.apiKeys.get(projectId);
    const agent = createAgentClient({ ...config.agent, apiKeyOf, clock });
    resources.defer(() => agent.close());
    const codeHosts = createCodeHosts(config.codeHosts, { clock, log });
    resources.defer(() => codeHosts.close());
    const newContext = contextFactory(clock, config);
    const recipesOf = (teamId: string) => settingsOf(config, teamId)?.recipes ?? [];
    const reportOf = reporter(config, store, clock);
    const stopping = new AbortController();
    const sessions = sessionStatus();
    const tools: Tools = {
      stopping: stopping.signal,
      store,
      clock,
      log,
      agent,
      codeHosts,
      workspaces,
      promptMaxLength: config.policy.promptMaxLength,
      readsPerMinute: config.agent.readsPerMinute,
      answered: new AnsweredJobs(),
      hourlyBudget: config.agent.hourlyBudget,
      known: {
        agent: agent.factsOf,
        codeHosts: () => codeHosts.facts(),
        slackProblem: () => connection.problem(),
        workProblems: () => [...connection.warnings(), ...workProblems(loops.states())],
      },
      requestsInFlight: () => connection.requestsInFlight(),
      newContext,
      recipesOf,
      digestOf: (teamId) => settingsOf(config, teamId)?.digest ?? null,
      reportOf,
      readablePrompt: async (teamId, prompt) => {
        const { names } = await workspaces.of(teamId);
        return readableText(prompt, await names.of(prompt));
      },
      showChecked: (job) => sessions.checked(tools, job),
      showChanged: (job) => sessions.changed(tools, job),
    };
    const loops = createLoops({ ...tools, store: inBackground }, config.stopTimeoutMs);
    stopWithinMs = () => loops.stopWithinMs();
    const readState = stateReader({
      store,
      clock,
      projects: config.projects,
      hourlyBudget: config.agent.hourlyBudget,
      loops: () => loops.states(),
      slackProblem: () => connection.problem(),
      readDataDir: () => ('dataDir' in config.store ? readDataDir(config.store.dataDir) : null),
    });
    const forOperators = [...healthRoutes(checks), metrics.route(readState)];
    const bodies = createBodyReader();
    const hooks = hookRoutes(
      { store, clock, log, newContext, bodies, workspaces },
      hooksIn(config, served.teamId),
    );
    const forOthers = [...served.routes, ...hooks];
    const routes = healthPort === null ? [...forOperators, ...forOthers] : forOthers;
    const connection = createConnection(transport, {
      ...{ apiUrl, logger, log, clock, bodies, store, routes },
      // With a given clock, nothing may depend on real time.
      nextWithinMs: options.clock === undefined ? NEXT_REQUEST_WITHIN_MS : 0,
      onConnected: missed.lookFor,
      onRedelivery: missed.lookForSoon,
      onHeldBack: missed.heldBack,
      onRefused: refusalRecorder({ store, newContext, log }),
    });
    createSlackApp(workspaces, connection, {
      ...{ apiUrl, logger, store, clock, log, newContext, recipesOf, onEnded, reportOf },
      lookForMissed: missed.lookForSoon,
      known: tools.known,
      twinEvents: twinEvents(clock),
      isSharedSince: connection.isSharedSince,
      agentHasJob: hasJob(tools, config.agent.readsPerMinute),
    });
    checks.push(
      {
        name: 'store',
        problem: sharedLook(() => store.check().then(() => null)),
        warnings: sharedLook(async () => (await store.heldLocks()).map(heldLockWords)),
      },
      { name: 'slack', problem: connection.problem, warnings: connection.warnings },
      {
        name: 'work',
        problem: () => workProblems(loops.states()).join('; ') || null,
        warnings: () => workWarnings(loops.states()),
      },
    );
    if (healthPort !== null) {
      const address = { host: config.http.host, port: healthPort };
      const health = await serveRoutes(forOperators, address).catch((error) => {
        explainListening(error, { ...address, variable: 'HEALTH_PORT' });
        throw error;
      });
      // It still answers while the last tasks are finished.
      resources.defer(() => health.close());
      healthPort = health.port;
    }
    const teamIds = served.teamId === null ? [...config.workspaces.keys()] : [served.teamId];
    const recurring = new Map(teamIds.map((teamId) => [teamId, recurringIn(config, teamId)]));
    await planSchedules(store, recurring, clock.now());
    loops.start();
    const background = { ...tools, store: inBackground };
    const periodic = [
      retentionJob(background, config.retentionMs),
      farTasks(background, config.policy),
      pullRequestAdoption(background),
    ];
    for (const { start } of periodic) start();
    resources.defer(store.onScheduled((scheduled) => loops.notify(scheduled)));
    const stopConnection = async () => {
      if (isListening) await clock.sleep(lingerMs);
      await connection.stop();
    };
    // All at once: while the last requests are stored, no more tasks are claimed. The next start repeats the
    // looks.
    resources.defer(async () => {
      stopping.abort();
      const stops = periodic.map(({ stop }) => stop());
      await Promise.all([stopConnection(), loops.stop(), codeHosts.close(), ...stops]);
    });
    let isListening = false;
    const servedPort = await connection.start(config.http).catch((error) => explainConnection(error, config));
    port = servedPort ?? port;
    isListening = transport.kind === 'http' && lingerMs > 0;
    for (const { variable, message } of config.ignored) {
      log.warn('setting_ignored', { setting: variable, reason: message });
    }
    const mode = transport.kind;
    // A socket shows when it was disconnected; HTTP requests that could not arrive leave no trace.
    if (mode === 'http') missed.sweep();
    const ports = {
      ...(servedPort === null ? {} : { port: servedPort }),
      ...(healthPort === null ? {} : { health_port: healthPort }),
    };
    log.info('started', { mode, store: config.store.kind, ...ports, team_id: served.teamId });
  }

  async function close(): Promise<void> {
    const open = resources;
    resources = new AsyncDisposableStack();
    checks.length = 0;
    await open.disposeAsync();
  }

  return {
    start: async () => {
      try {
        await start();
      } catch (error) {
        await close();
        throw error;
      }
    },
    stop: async () => {
      await close();
      log.info('stopped');
    },
    stopWithinMs: () => stopWithinMs(),
    readiness: () => readiness(checks),
    get port() {
      return port;
    },
    get healthPort() {
      return healthPort ?? port;
    },
    get signedInAs() {
      return signedInAs;
    },
  };
}

/** The period that people in Slack see. */
const SHOWN_MS = 7 * 86_400_000;

/** Counts a period of one workspace, by default the last days. Possibly deleted times are left out. */
export function reporter(
  { agent, retentionMs, policy }: Config,
  store: Store,
  clock: Clock,
): (teamId: string, projectIds: readonly string[], period?: Period) => Promise<MadeReport> {
  return (teamId, projectIds, period) => {
    const nowMs = clock.now();
    const { sinceMs: fromMs, untilMs } = period ?? { sinceMs: nowMs - SHOWN_MS, untilMs: nowMs };
    const sinceMs = Math.min(Math.max(fromMs, nowMs - retentionMs), untilMs);
    return makeReport((read) => store.transaction((tx) => read(tx.reports)), {
      ...{ teamId, projectIds, sinceMs, untilMs, sites: policy.pullRequests.sites },
      hourlyBudget: agent.hourlyBudget,
    });
  };
}
