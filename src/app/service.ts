import { randomUUID } from 'node:crypto';
import { answeredJobs } from '#agent/agent-tools.ts';
import { hasJob } from '#agent/check-job.ts';
import { createAgentClient } from '#agent/client.ts';
import type { AnyJobContext } from '#engine/apply-event.ts';
import { planSchedules } from '#engine/schedules.ts';
import { farTasks, retentionJob } from '#engine/sweeps.ts';
import { type Clock, systemClock } from '#runtime/clock.ts';
import { createBodyReader, serveRoutes } from '#runtime/http-server.ts';
import type { Logger } from '#runtime/redact.ts';
import { refusalRecorder } from '#slack/inbound/once.ts';
import { createConnection, createSlackApp } from '#slack/inbound/routes.ts';
import { missedReplies } from '#slack/outbound/catch-up.ts';
import { readableText } from '#slack/protocol/slack-text.ts';
import { boltLogger } from '#slack/workspace/caller.ts';
import type { SignedInAs } from '#slack/workspace/inspection.ts';
import { readDataDir } from '#store/backup.ts';
import { heldLockWords } from '#store/engines/database.ts';
import { openStore } from '#store/open.ts';
import { type Config, workspaceIn } from './config/config.ts';
import { eventFeatures, featureButtons, features, featureViews } from './features.ts';
import { type HealthCheck, healthRoutes, readiness, shareInFlight } from './operations/health.ts';
import { observedLogger } from './operations/logger.ts';
import { createMetrics } from './operations/metrics.ts';
import { failingWords, stateReader, workProblems } from './operations/program-state.ts';
import { createLoops, SHORT_STOP_MS, type Tools } from './service/loops.ts';
import { explainConnection, explainListening, serveWorkspaces } from './service/workspaces.ts';

export type Service = Readonly<ReturnType<typeof createService>>;

export type ServiceOptions = Readonly<{
  log: Logger;
  /** A given clock also times leases. */
  clock?: Clock;
  /** HTTP mode: how long a stop accepts requests, while load balancers notice a 503 from `/readyz`. */
  lingerMs?: number;
  logLinesDropped?: () => number;
}>;

/** Between two requests of a client that waits for answers. */
const NEXT_REQUEST_WITHIN_MS = 5;

export function createService(config: Config, options: ServiceOptions) {
  const { clock = systemClock, lingerMs = 0 } = options;
  const metrics = createMetrics(options.logLinesDropped);
  const log = observedLogger(options.log, metrics.observe);
  const checks: HealthCheck[] = [];
  let resources = new AsyncDisposableStack();
  const { port, host, healthPort } = config.http;
  const service = {
    /** After a StartError or StoreError, the service is stopped. */
    start: () =>
      start().catch(async (error) => {
        await close();
        throw error;
      }),
    /** Immediately unready; finishes what is in flight. */
    stop: async () => {
      await close();
      log.info('stopped');
    },
    stopWithinMs: () => SHORT_STOP_MS,
    readiness: () => readiness(checks),
    port,
    /** Equal to `port` unless HEALTH_PORT is set. */
    healthPort: healthPort ?? port,
    signedInAs: null as SignedInAs | null,
  };

  async function start() {
    const logger = boltLogger(log);
    const { apiUrl, transport } = config.slack;
    const store = await openStore(config.store, options.clock?.now, metrics.transaction);
    resources.defer(() => store.close());
    const inBackground = store.inBackground();
    const missed = missedReplies(inBackground, clock, log);
    resources.defer(() => missed.stop());
    const served = await serveWorkspaces(config, { store, clock, log, logger, onInstalled: missed.lookFor });
    const { workspaces, teamIds, onEnded } = served;
    service.signedInAs = served.signedInAs;
    const { readsPerMinute, hourlyBudget } = config.agent;
    const apiKeyOf = (projectId: string) => config.agent.apiKeys.get(projectId);
    const agent = createAgentClient({ ...config.agent, apiKeyOf, clock, log });
    resources.defer(() => agent.close());
    const stopping = new AbortController();
    const tools: Tools = {
      stopping: stopping.signal,
      store,
      clock,
      log,
      agent,
      codeHosts: config.codeHosts,
      workspaces,
      promptMaxLength: config.policy.promptMaxLength,
      readsPerMinute,
      answered: answeredJobs(),
      hourlyBudget,
      known: {
        agent: agent.factsOf,
        services: () => running.flatMap(({ services }) => services?.() ?? []),
        slackProblem: () => connection.problem(),
        workProblems: () => [...connection.warnings(), ...workProblems(loops.states())],
      },
      featureViews,
      requestsInFlight: () => connection.requestsInFlight(),
      newContext: contextFactory(clock, config, (projectId) => agent.factsOf(projectId).can),
      retentionMs: config.retentionMs,
      teamIds,
      secretsOf: (variable) => config.featureSecrets.get(variable) ?? [],
      featureSettingsOf: (teamId) => workspaceIn(config, teamId)?.featureSettings ?? {},
      readablePrompt: async (teamId, prompt) => {
        const { names } = await workspaces.of(teamId);
        return readableText(prompt, await names.of(prompt));
      },
      readPictures: async (teamId, pictures) => (await workspaces.of(teamId)).snippets.readPictures(pictures),
      show: (...shown) => {
        for (const show of shows) show(...shown);
      },
    };
    const shows = features.flatMap((feature) => feature.shows?.(tools) ?? []);
    const background = { ...tools, store: inBackground };
    const running = features.flatMap(({ run }) => run?.(background) ?? []);
    const closeFeatures = async () => void (await Promise.all(running.map(({ close }) => close?.())));
    resources.defer(closeFeatures);
    const loops = createLoops(background, config.stopTimeoutMs, running);
    service.stopWithinMs = loops.stopWithinMs;
    const readState = stateReader({
      ...tools,
      projects: config.projects,
      loops: loops.states,
      slackProblem: () => connection.problem(),
      readDataDir: () => ('dataDir' in config.store ? readDataDir(config.store.dataDir) : null),
    });
    const forOperators = [...healthRoutes(checks), metrics.route(readState)];
    const bodies = createBodyReader();
    const ofFeatures = features.flatMap((feature) => feature.routes?.(tools, bodies) ?? []);
    const forOthers = [...served.routes, ...ofFeatures];
    const connection = createConnection(transport, {
      ...tools,
      apiUrl,
      logger,
      bodies,
      routes: healthPort === null ? [...forOperators, ...forOthers] : forOthers,
      // A given clock excludes real time.
      nextWithinMs: options.clock === undefined ? NEXT_REQUEST_WITHIN_MS : 0,
      onConnected: missed.lookFor,
      onRedelivery: missed.lookForSoon,
      onHeldBack: missed.heldBack,
      onRefused: refusalRecorder(tools),
    });
    createSlackApp(workspaces, connection, {
      ...tools,
      logger,
      onEnded,
      featureListeners: [
        ...features.flatMap(({ listeners }) => listeners?.(tools) ?? []),
        ...running.flatMap(({ listeners }) => listeners ?? []),
      ],
      lookForMissed: missed.lookForSoon,
      featureButtons,
      isSharedSince: connection.isSharedSince,
      agentHasJob: hasJob(tools, readsPerMinute),
    });
    checks.push(
      {
        name: 'store',
        problem: shareInFlight(() => store.check().then(() => null)),
        warnings: shareInFlight(async () => (await store.heldLocks()).map(heldLockWords)),
      },
      { name: 'slack', problem: connection.problem, warnings: connection.warnings },
      {
        name: 'work',
        problem: () => workProblems(loops.states()).join('; ') || null,
        warnings: () => failingWords(loops.states(), true),
      },
    );
    if (healthPort !== null) {
      const health = await serveRoutes(forOperators, { host, port: healthPort }).catch((error) => {
        explainListening(error, host, healthPort, 'HEALTH_PORT');
        throw error;
      });
      // Answers until the last tasks are finished.
      resources.defer(() => health.close());
      service.healthPort = health.port;
    }
    for (const teamId of teamIds) {
      const settings = tools.featureSettingsOf(teamId);
      const recurring = features.flatMap(({ schedules }) => schedules?.(settings) ?? []);
      await store.transaction((tx) => planSchedules(tx, teamId, recurring, clock.now()));
    }
    const work = [loops, retentionJob(background, config.retentionMs), farTasks(background)];
    for (const { start } of work) start();
    resources.defer(store.onScheduled(loops.notify));
    let isListening = false;
    // In parallel: no more tasks are claimed while the last requests are stored.
    resources.defer(async () => {
      stopping.abort();
      const lingered = isListening ? clock.sleep(lingerMs) : Promise.resolve();
      await Promise.all([lingered.then(connection.stop), closeFeatures(), ...work.map(({ stop }) => stop())]);
    });
    const servedPort = await connection.start(config.http).catch((error) => explainConnection(error, config));
    service.port = servedPort ?? port;
    if (healthPort === null) service.healthPort = service.port;
    const mode = transport.kind;
    isListening = mode === 'http' && lingerMs > 0;
    for (const { variable, message } of config.ignored) {
      log.warn('setting_ignored', { setting: variable, reason: message });
    }
    // A socket notices its gaps; missed HTTP requests leave no trace.
    if (mode === 'http') missed.sweep();
    log.info('started', {
      mode,
      store: config.store.kind,
      ...(servedPort !== null && { port: servedPort }),
      ...(healthPort !== null && { health_port: service.healthPort }),
      team_id: served.signedInAs === null ? null : teamIds[0],
    });
  }

  async function close() {
    const open = resources;
    resources = new AsyncDisposableStack();
    checks.length = 0;
    await open.disposeAsync();
  }

  return service;
}

export function contextFactory(
  clock: Clock,
  config: Config,
  announcedBy: AnyJobContext['announcedBy'] = () => undefined,
): () => AnyJobContext {
  const newId = growingIds();
  return () => ({
    nowMs: clock.now(),
    jitter: Math.random(),
    newId,
    policy: config.policy,
    announcedBy,
    rulesOf: (teamId) =>
      workspaceIn(config, teamId) ?? { projects: [], channels: new Map(), noticeChannels: [] },
    features: eventFeatures,
  });
}

/** UUIDv7 with a counter of 12 bits after the time (RFC 9562, 6.2): ids sort by creation. */
export function growingIds(nowMs: () => number = Date.now): () => string {
  let last = 0n;
  return () => {
    const fromNow = BigInt(nowMs()) << 12n;
    last = fromNow > last ? fromNow : last + 1n;
    const digits = last.toString(16).padStart(15, '0');
    const chance = randomUUID().slice('00000000-0000-0000-'.length);
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-7${digits.slice(12)}-${chance}`;
  };
}
