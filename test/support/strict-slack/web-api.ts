import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../../src/runtime/clock.ts';
import { botScopes } from '../../../src/slack/protocol/scopes.ts';
import { answerCall } from '../fault-proxy/answer.ts';
import { decodeCall, type SlackCall } from '../fault-proxy/call.ts';
import { type Fault, FaultQueue } from '../fault-proxy/fault.ts';
import { type Exchange, readAll } from '../fault-proxy/forward.ts';
import { noteHappened, type SlackTook } from '../invariants/world.ts';
import { ApiError } from './api-error.ts';
import { chatMethods } from './chat-methods.ts';
import { download, fileMethods, signInPage } from './file-methods.ts';
import { strictApp } from './ids.ts';
import type { Method, MethodContext } from './method.ts';
import { scopesOfMethods } from './needed-scopes.ts';
import { peopleMethods } from './people-methods.ts';
import type { RateLimits } from './rate-limits.ts';
import { reactionMethods } from './reaction-methods.ts';
import { readingMethods } from './reading-methods.ts';
import type { ResponseUrls } from './response-urls.ts';
import { statusMethods } from './statuses.ts';
import { stepMethods } from './steps.ts';
import { viewMethods } from './views.ts';

const OPEN_SOCKET = 'apps.connections.open';
const methods: Readonly<Record<string, Method>> = {
  ...chatMethods,
  ...readingMethods,
  ...reactionMethods,
  ...viewMethods,
  ...peopleMethods,
  ...fileMethods,
  ...statusMethods,
  ...stepMethods,
  [OPEN_SOCKET]: ({ newSocketAddress, program }) => ({ url: newSocketAddress(program) }),
};

/** How a call is named that is of no method, by the first part of its address. */
const NAMES: Readonly<Record<string, string>> = {
  response: 'response_url',
  'files-pri': 'file_download',
  signin: 'signin',
};

export type StrictFault = Fault;

export interface WebApiOptions {
  readonly context: MethodContext;
  readonly responseUrls: ResponseUrls;
  readonly limits: RateLimits | null;
  readonly clock: Clock;
  readonly teamId: string;
}

/** The Web API, and the addresses to respond to, as a handler of HTTP requests. */
export class WebApi {
  decide: (call: SlackCall) => StrictFault | null = () => null;
  /** For what `decide` lets pass. */
  readonly faults = new FaultQueue();
  isTokenRevoked = false;
  /** Of the bot token. */
  scopes: readonly string[] = botScopes.map(({ name }) => name);
  readonly calls: SlackCall[] = [];
  /** Those that succeeded. */
  readonly happened: SlackTook[] = [];
  /** Those that were over a limit. */
  readonly limited = new Set<SlackCall>();
  readonly #options: WebApiOptions;
  #inFlight = 0;

  constructor(options: WebApiOptions) {
    this.#options = options;
  }

  /** Calls that will be answered by and by. */
  get inFlight(): number {
    return this.#inFlight;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#inFlight += 1;
    const leave = once(() => {
      this.#inFlight -= 1;
    });
    response.on('close', leave);
    response.setHeader('date', new Date(this.#options.clock.now()).toUTCString());
    try {
      const [, kind = '', rest = ''] = /^\/([^/?]*)\/?([^?]*)/.exec(request.url ?? '') ?? [];
      const method = NAMES[kind] ?? rest;
      const call = decodeCall(method, request.headers, await readAll(request));
      this.calls.push(call);
      const fault = this.decide(call) ?? this.faults.take(method);
      if (fault === 'hang' || isHeld(fault)) leave();
      const { teamId } = this.#options;
      await answerCall(response, fault, () => {
        const exchange = this.#answer(kind, rest, call);
        if (!(kind in NAMES)) noteHappened(this.happened, request, { call, teamId, body: exchange.body });
        return exchange;
      });
    } catch (error) {
      leave();
      response.destroy();
      // The bot may have gone away in the middle.
      if (!request.errored) throw error;
    }
  }

  #answer(kind: string, rest: string, call: SlackCall): Exchange {
    if (kind === 'response') return this.#respond(rest, call);
    if (kind === 'files-pri') return download(this.#options.context.files, rest, call.token);
    return kind === 'signin' ? signInPage() : this.#call(call, kind);
  }

  #call(call: SlackCall, program: string): Exchange {
    const waitSeconds = this.#options.limits?.refuse(call.method, call.args) ?? null;
    if (waitSeconds !== null) {
      this.limited.add(call);
      const exchange = json(429, { ok: false, error: 'ratelimited' });
      return { ...exchange, headers: { ...exchange.headers, 'retry-after': String(waitSeconds) } };
    }
    try {
      const run = methods[call.method];
      if (run === undefined) throw new ApiError('unknown_method');
      this.#authorize(call);
      // Bolt's clients add the workspace to every call; with the token of one workspace it means nothing.
      const { token: _token, team_id: _team, ...args } = call.args;
      const answer = json(200, { ok: true, ...run({ ...this.#options.context, program }, args) });
      const granted = call.token === strictApp.botToken ? { 'x-oauth-scopes': this.scopes.join(',') } : {};
      return { ...answer, headers: { ...answer.headers, ...granted } };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const details = error.details.length === 0 ? {} : { response_metadata: { messages: error.details } };
      return json(200, { ok: false, error: error.code, ...details });
    }
  }

  #authorize({ method, token }: SlackCall): void {
    if (token === null) throw new ApiError('not_authed');
    const isGood = this.#options.context.steps.holds(token);
    if (isGood === false) throw new ApiError('token_expired');
    if (isGood === true && method in stepMethods) return;
    if (isGood === true) throw new ApiError('not_allowed_token_type');
    const { botToken, appToken } = strictApp;
    if (token !== botToken && token !== appToken) throw new ApiError('invalid_auth');
    if (token !== (method === OPEN_SOCKET ? appToken : botToken))
      throw new ApiError('not_allowed_token_type');
    if (this.isTokenRevoked && token === botToken) throw new ApiError('token_revoked');
    const needed = scopesOfMethods[method] ?? [];
    const isAllowed = needed.length === 0 || needed.some((scope) => this.scopes.includes(scope));
    if (!isAllowed) throw new ApiError('missing_scope');
  }

  #respond(id: string, { args }: SlackCall): Exchange {
    try {
      this.#options.responseUrls.take(id, args);
      return { status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from('ok') };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return json(404, { ok: false, error: error.code });
    }
  }
}

function isHeld(fault: StrictFault | null): boolean {
  return typeof fault === 'object' && fault !== null && ('forwardAfter' in fault || 'answerAfter' in fault);
}

function json(status: number, value: unknown): Exchange {
  const body = Buffer.from(JSON.stringify(value));
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(body.length),
  };
  return { status, headers, body };
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}
