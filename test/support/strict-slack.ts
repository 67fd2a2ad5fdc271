import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../src/runtime/clock.ts';
import type { SlackCall } from './fault-proxy/call.ts';
import type { SlackTook } from './invariants/world.ts';
import { withIds } from './strict-slack/blocks.ts';
import { createControl } from './strict-slack/control.ts';
import { Deliverer } from './strict-slack/deliverer.ts';
import type { Delivery, Transport } from './strict-slack/delivery.ts';
import { Files } from './strict-slack/files.ts';
import { createHttpTransport } from './strict-slack/http-transport.ts';
import { createTimestamps, newId, strictApp } from './strict-slack/ids.ts';
import type { MethodContext } from './strict-slack/method.ts';
import { eventCallback, inChannel } from './strict-slack/payloads.ts';
import { RateLimits } from './strict-slack/rate-limits.ts';
import { ResponseUrls } from './strict-slack/response-urls.ts';
import { createSocketTransport, type SocketTransport } from './strict-slack/socket-transport.ts';
import { AgentSessions } from './strict-slack/statuses.ts';
import { Steps } from './strict-slack/steps.ts';
import { Triggers } from './strict-slack/triggers.ts';
import { Views } from './strict-slack/views.ts';
import { type StrictFault, WebApi } from './strict-slack/web-api.ts';
import { Workspace } from './strict-slack/workspace.ts';

export interface StrictSlackOptions {
  /** All of its time, but for the signatures in HTTP mode, which the bot compares with the machine's time. */
  readonly clock: Clock;
  readonly app:
    | { readonly mode: 'socket' }
    /** The bot's `…/slack/events`; several, as of replicas behind a balancer, are taken in turn. */
    | { readonly mode: 'events'; readonly requestUrls: readonly string[] };
  /** Enforces Slack's documented rate limits. Default: false */
  readonly limits?: boolean;
  /** False: stores blocks under new ids, so that a post can be known again by its metadata alone. Default: true */
  readonly keepsBlockIds?: boolean;
  /** Whose it is, in `happened`. Default: as all else says */
  readonly ownerId?: string;
}

export type StrictSlack = Awaited<ReturnType<typeof startStrictSlack>>;

/**
 * Slack, as far as the bot uses it, in this process: strict about what it takes, with metadata, with its own
 * retries, and with all of its time taken from a clock. People and channels are at first those of `testWorkspace`, and
 * tokens and ids those of `localApp`.
 */
export async function startStrictSlack(options: StrictSlackOptions) {
  const { clock, app } = options;
  const server = createServer((request, response) => {
    webApi.handle(request, response).catch((error: unknown) => {
      failures.push(error);
    });
  });
  // The bot must not meet a kept connection that closes just then.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  const failures: unknown[] = [];
  const socket = createSocketTransport(server, `ws://127.0.0.1:${port}`, clock);
  const http = createHttpTransport(app.mode === 'events' ? app.requestUrls : []);
  const transport: Transport = app.mode === 'socket' ? socket : http;
  const deliverer = new Deliverer(clock, transport);
  const newTs = createTimestamps(clock);
  const workspace = new Workspace({
    newTs,
    tell: (channel, event) =>
      deliverer.deliver({
        id: newId('envelope-'),
        kind: 'event',
        payload: eventCallback(inChannel(channel, event), {
          nowMs: clock.now(),
          isShared: workspace.isShared(channel),
        }),
      }),
  });
  const responseUrls = new ResponseUrls(workspace, clock, url);
  const keepsBlockIds = options.keepsBlockIds ?? true;
  const context: MethodContext = {
    workspace,
    triggers: new Triggers(clock),
    views: new Views(newTs),
    files: new Files(url),
    sessions: new AgentSessions(clock),
    steps: new Steps(clock),
    program: 'api',
    stored: (blocks) => withIds(blocks, keepsBlockIds),
    newSocketAddress: socket.newAddress,
  };
  const webApi = new WebApi({
    context,
    responseUrls,
    limits: options.limits ? new RateLimits(clock) : null,
    clock,
    teamId: options.ownerId ?? strictApp.teamId,
  });
  const { botToken, appToken, signingSecret, teamId } = strictApp;

  return {
    /** With the slash at its end. */
    apiUrl: `${url}/api/`,
    /** The same for one of several programs with the same tokens, by a name of its own; `apiUrl` is that of `api`. */
    apiUrlOf: (program: string) => `${url}/${program}/`,
    botToken,
    appToken,
    signingSecret,
    teamId,
    control: createControl({ clock, context, deliverer, responseUrls, webApi }),
    /**
     * Asked for each call of the Web API (also `apps.connections.open`, `response_url` for a post to one, and
     * `file_download`): what goes wrong with it. Takes the place of an earlier one. The bot waits 10 real seconds
     * for what hangs.
     */
    onCall: (decide: (call: SlackCall) => StrictFault | null) => {
      webApi.decide = decide;
    },
    /** The next calls of the method that `onCall` lets pass fail so, one fault for each. */
    fail: (method: string, ...faults: StrictFault[]) => webApi.faults.add(method, faults),
    /**
     * Asked at each attempt to deliver something: in how many copies it goes out at once (0: this attempt is
     * lost). Takes the place of an earlier one.
     */
    onDelivery: (copies: (delivery: Delivery) => number) => {
      deliverer.copies = copies;
    },
    /** All calls so far, or those of one method, in the order of their arrival; also those that failed. */
    calls: (method?: string) => webApi.calls.filter((call) => method === undefined || call.method === method),
    /** The calls to `apiUrl` that succeeded, whether or not their answer arrived. */
    happened: webApi.happened as readonly SlackTook[],
    /** The call was refused because of a limit. */
    wasLimited: (call: SlackCall) => webApi.limited.has(call),
    /** Every copy of everything that was delivered, in order. */
    deliveries: () => deliverer.records,
    /** Calls and deliveries that have no answer yet; without what hangs, is held, or is given up. */
    inFlight: () => webApi.inFlight + deliverer.inFlight,
    socket: socket as Pick<SocketTransport, 'cut' | 'connections' | 'refresh' | 'greetWith' | 'routeBy'>,
    [Symbol.asyncDispose]: async () => {
      deliverer.close();
      socket.close();
      http.close();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      if (failures.length > 0) throw new AggregateError(failures, 'the strict Slack itself failed');
    },
  };
}
