import { appendFile } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { execa } from 'execa';
import type { Clock } from '#runtime/clock.ts';
import { TurnFailedError, TurnStoppedError } from './failures.ts';
import { MARKER } from './git.ts';
import type { Image } from './message.ts';
import { activityOf, oneLine, SUMMARY_MAX } from './words.ts';

const SILENT_MAX_MS = 10 * 60_000;
const START_WITHIN_MS = 2 * 60_000;
/** Lets the agent save its state after a cancel. */
const CANCEL_WITHIN_MS = 2_000;
/** Per turn. */
const TRANSCRIPT_MAX_BYTES = 64 * 1024 * 1024;
const ERRORS_MAX = 2_000;
const ENDED_WITHIN_MS = 1_000;

export interface AgentFacts {
  /** `opencode 1.18.0`, or the command. */
  readonly name: string;
  readonly takesImages: boolean;
}

export interface AgentOptions {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly mark: string;
  readonly clock: Clock;
}

export interface AgentTurn {
  readonly worktree: string;
  /** For a resumed and for a new session. */
  readonly prompt: { readonly known: string; readonly fresh: string };
  readonly images: readonly Image[];
  readonly sessionId: string | null;
  readonly transcript: string;
  /** Aborts with a TurnStoppedError. */
  readonly signal: AbortSignal;
  readonly onActivity: (activity: string) => void;
  readonly onSession: (sessionId: string) => void;
}

/** Throws TurnFailedError if the command is no ACP agent. */
export async function probeAgent(options: AgentOptions, directory: string): Promise<AgentFacts> {
  await using agent = startProcess(options, directory);
  const answer = acp.client({ name: 'docs-agent' }).connectWith(agent.stream, initialize);
  const silent = new TurnFailedError('The agent does not answer.');
  const probing = agent.during(options.clock.timeout(START_WITHIN_MS, answer, silent));
  const facts = await probing.catch((error: Error) => error);
  const hint = `Check that "${options.command.join(' ')}" starts an ACP agent.`;
  if (facts instanceof Error) throw new TurnFailedError(`${facts.message} ${hint}`);
  const { agentInfo, agentCapabilities } = facts;
  const name = agentInfo ? `${agentInfo.name} ${agentInfo.version}` : basename(options.command[0]);
  return { name: oneLine(name, 100), takesImages: agentCapabilities?.promptCapabilities?.image === true };
}

/** Returns the agent's last message. Throws TurnFailedError or TurnStoppedError. */
export async function runAgent(options: AgentOptions, turn: AgentTurn): Promise<string> {
  turn.signal.throwIfAborted();
  using silence = watchSilence(options.clock);
  await using agent = startProcess(options, turn.worktree);
  const signal = AbortSignal.any([turn.signal, silence.signal]);
  const log = transcriptOf(turn);
  let hasBegun = false;
  const client = acp
    .client({ name: 'docs-agent' })
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => allowOnce(params.options))
    .onNotification(acp.methods.client.session.update, ({ params }) => {
      silence.heard();
      // A loaded session replays its history first.
      if (hasBegun) log.note(params.update);
    });
  const working = client.connectWith(agent.stream, async (peer) => {
    const { agentCapabilities } = await initialize(peer);
    const { sessionId, isKnown } = await openSession(peer, agentCapabilities, turn);
    signal.throwIfAborted();
    turn.onSession(sessionId);
    hasBegun = true;
    const text = isKnown ? turn.prompt.known : turn.prompt.fresh;
    const images = turn.images.map(({ mimeType, data }) => ({ type: 'image' as const, mimeType, data }));
    const prompt: acp.ContentBlock[] = [{ type: 'text', text }, ...images];
    const cancel = () => void peer.notify(acp.methods.agent.session.cancel, { sessionId }).catch(() => {});
    signal.addEventListener('abort', cancel, { once: true });
    const { stopReason } = await peer.request(acp.methods.agent.session.prompt, { sessionId, prompt });
    return stopReason;
  });
  try {
    const stopReason = await agent.during(Promise.race([working, aborted(signal, options.clock)]));
    signal.throwIfAborted();
    if (stopReason !== 'end_turn') throw new TurnFailedError(STOPPED[stopReason] ?? 'The agent gave up.');
    return log.closingWords();
  } catch (error) {
    // Many agents exit when cancelled.
    signal.throwIfAborted();
    throw error;
  } finally {
    await log.written();
  }
}

const STOPPED: Readonly<Record<string, string | undefined>> = {
  refusal: 'The agent refused the request.',
  max_tokens: 'The agent reached the length that its model allows.',
  max_turn_requests: 'The agent reached the number of steps that it allows itself.',
};

function initialize(peer: acp.ClientContext) {
  return peer.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: {},
    clientInfo: { name: 'docs-agent', version: '0.1.0' },
  });
}

async function openSession(
  peer: acp.ClientContext,
  capabilities: acp.AgentCapabilities | undefined,
  { sessionId, worktree: cwd }: AgentTurn,
): Promise<{ readonly sessionId: string; readonly isKnown: boolean }> {
  const { session } = acp.methods.agent;
  const again = { sessionId: sessionId ?? '', cwd, mcpServers: [] };
  const resumed = capabilities?.sessionCapabilities?.resume
    ? () => peer.request(session.resume, again)
    : capabilities?.loadSession && (() => peer.request(session.load, again));
  // The agent may have forgotten the session.
  const isKnown = sessionId !== null && resumed && (await resumed().then(Boolean, () => false));
  if (isKnown) return { sessionId, isKnown };
  const opened = await peer.request(session.new, { cwd, mcpServers: [] });
  return { sessionId: opened.sessionId, isKnown: false };
}

function allowOnce(options: readonly acp.PermissionOption[]): acp.RequestPermissionResponse {
  const ofKind = (sought: string) => options.find(({ kind }) => kind === sought);
  const { optionId } = ofKind('allow_once') ?? ofKind('allow_always') ?? {};
  return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
}

function transcriptOf(turn: AgentTurn) {
  let bytes = 0;
  let last = Promise.resolve();
  let messageId: unknown = null;
  let words = '';
  return {
    note: (update: acp.SessionUpdate) => {
      const line = `${JSON.stringify({ at: new Date().toISOString(), ...update })}\n`;
      bytes += line.length;
      if (bytes <= TRANSCRIPT_MAX_BYTES)
        last = last.then(() => appendFile(turn.transcript, line, { mode: 0o600 })).catch(() => {});
      if (update.sessionUpdate === 'agent_message_chunk') {
        const id = update.messageId ?? 'one';
        if (id !== messageId) words = '';
        messageId = id;
        // One chunk beyond the limit, so that the cut shows.
        if (update.content.type === 'text' && words.length <= SUMMARY_MAX) words += update.content.text;
      } else if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') {
        messageId = null;
        const paths = (update.locations ?? []).map(({ path }) => relative(turn.worktree, path) || path);
        const activity = activityOf(update.kind ?? '', update.title?.trim() ?? '', paths);
        if (activity !== null) turn.onActivity(activity);
      }
    },
    written: () => last,
    closingWords: () => words,
  };
}

function watchSilence(clock: Clock) {
  const silence = new AbortController();
  const abort = () => silence.abort(new TurnFailedError('The agent said nothing for ten minutes.'));
  let cancel = clock.at(clock.now() + SILENT_MAX_MS, abort);
  const heard = () => {
    cancel();
    cancel = clock.at(clock.now() + SILENT_MAX_MS, abort);
  };
  return { signal: silence.signal, heard, [Symbol.dispose]: () => cancel() };
}

async function aborted(signal: AbortSignal, clock: Clock): Promise<never> {
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await clock.sleep(CANCEL_WITHIN_MS);
  throw signal.reason;
}

/** Disposing kills the process group. */
function startProcess({ command, env, mark, clock }: AgentOptions, directory: string) {
  const [file, ...args] = command;
  const child = execa(file, args, {
    cwd: directory,
    env: { ...env, [MARKER]: mark },
    extendEnv: false,
    detached: true,
    cleanup: false,
    buffer: false,
    reject: false,
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = `${errors}${text}`.slice(-ERRORS_MAX);
  });
  // `gone` reports a broken pipe.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => {});
  const stream = acp.ndJsonStream(
    Writable.toWeb(child.stdin),
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  );
  const gone = child.then(({ exitCode, signal, originalMessage }) => {
    const why = oneLine(errors, 300) || originalMessage || `${signal ?? `exit code ${exitCode}`}`;
    return new TurnFailedError(`The agent ended by itself: ${why}`);
  });
  return {
    stream,
    /** Throws if the agent ends first. */
    during: async <T>(work: Promise<T>): Promise<T> => {
      const failed = gone.then((error) => Promise.reject(error));
      for (const promise of [work, failed]) promise.catch(() => {});
      try {
        return await Promise.race([work, failed]);
      } catch (error) {
        if (error instanceof TurnFailedError || error instanceof TurnStoppedError) throw error;
        // The connection closes shortly before the exit shows.
        const failure = new TurnFailedError(`The agent failed: ${oneLine((error as Error).message, 300)}`);
        throw await clock.timeout(ENDED_WITHIN_MS, gone, failure);
      }
    },
    [Symbol.asyncDispose]: async () => {
      if (child.pid !== undefined) endProcess(-child.pid);
      for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
      await child;
    },
  };
}

/** @param pid negative for a process group */
export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
