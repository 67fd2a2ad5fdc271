import type { Server } from 'node:http';
import { type WebSocket as Socket, WebSocket, WebSocketServer } from 'ws';

/** What Slack sent over Socket Mode: an event, a command or an interaction. */
interface Envelope {
  readonly envelope_id: string;
  readonly type: string;
  readonly payload: unknown;
}

/** What the bot answered to an envelope. */
interface Ack {
  readonly envelope_id: string;
  readonly payload?: unknown;
}

/** Relays Socket Mode connections that arrive at `server`, whose address is `baseUrl` (`ws://…`). */
export function createSocketRelay(server: Server, baseUrl: string) {
  const relay = new WebSocketServer({ server });
  const targets = new Map<string, string>();
  const greeted = new Set<Socket>();
  const envelopes = new Map<string, Envelope>();
  const acks: Ack[] = [];

  relay.on('connection', (bot, { url = '' }) => {
    const target = targets.get(url);
    if (target === undefined) return bot.terminate();
    const slack = new WebSocket(target);
    slack.on('message', (data) => {
      greeted.add(bot);
      const text = data.toString();
      const envelope = JSON.parse(text);
      if (isEnvelope(envelope)) envelopes.set(envelope.envelope_id, envelope);
      bot.send(text);
    });
    bot.on('message', (data) => {
      const text = data.toString();
      acks.push(JSON.parse(text));
      if (slack.readyState === WebSocket.OPEN) slack.send(text);
    });
    const drop = () => {
      greeted.delete(bot);
      bot.terminate();
      slack.terminate();
    };
    for (const socket of [bot, slack]) socket.on('close', drop).on('error', drop);
  });

  const cut = () => {
    for (const bot of relay.clients) bot.terminate();
  };

  return {
    /** The address on the relay that leads to Slack's `url`. */
    addressFor: (url: string) => {
      const path = `/socket/${targets.size + 1}`;
      targets.set(path, url);
      return `${baseUrl}${path}`;
    },
    close: () => {
      cut();
      relay.close();
    },
    faults: {
      /** Cuts all connections without a goodbye. The bot may connect again at once. */
      cut,
      /** Delivers again, as retries, all envelopes that the bot has not acknowledged. Throws without a connection. */
      redeliver: () => {
        const [bot] = greeted;
        if (!bot) throw new Error('the bot has no Socket Mode connection');
        const acknowledged = new Set(acks.map(({ envelope_id }) => envelope_id));
        for (const envelope of envelopes.values()) {
          if (acknowledged.has(envelope.envelope_id)) continue;
          bot.send(JSON.stringify({ ...envelope, retry_attempt: 1, retry_reason: 'timeout' }));
        }
      },
      /** All acknowledgements so far, in the order in which the bot sent them. */
      acks: () => [...acks],
      /** How many connections the bot has open, counted from Slack's greeting on. */
      connections: () => greeted.size,
    },
  };
}

function isEnvelope(message: unknown): message is Envelope {
  return typeof message === 'object' && message !== null && 'envelope_id' in message;
}
