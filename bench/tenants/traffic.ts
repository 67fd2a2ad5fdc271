import { setTimeout as pause } from 'node:timers/promises';
import { commandBody, eventBody } from '../../test/support/slack-requests.ts';
import { sendLoad } from '../support/load.ts';
import { signed } from '../support/slack-traffic.ts';
import type { Noted } from './noted.ts';
import { type Thread, teamId } from './tenants-store.ts';

const LOOK_EVERY_MS = 25;
/** What takes longer than that never comes. */
const LIMIT_MS = 90_000;

/** What people do in Slack, and when marked words of it arrive elsewhere. */
export class Traffic implements AsyncDisposable {
  private readonly ports: readonly number[];
  private readonly standInUrl: string;
  private readonly noted = new Map<string, Noted>();
  private readonly looking: Promise<void>;
  private isOver = false;
  private sent = 0;

  constructor(ports: readonly number[], standInUrl: string) {
    this.ports = ports;
    this.standInUrl = standInUrl;
    this.looking = this.look();
  }

  command(team: number, channelId: string, text: string): Promise<void> {
    const number = this.next();
    const request = { channelId, userId: 'U1', text, triggerId: `${Date.now()}.${number}.abcdef` };
    return this.send(number, commandBody(teamId(team), request));
  }

  reply(team: number, { channel, threadTs }: Thread, text: string): Promise<void> {
    const number = this.next();
    const nowMs = Date.now();
    const ts = `${Math.floor(nowMs / 1_000)}.${String(number % 1_000_000).padStart(6, '0')}`;
    const message = { type: 'message', channel, channel_type: 'channel', user: 'U1', text, ts };
    const event = { ...message, thread_ts: threadTs, client_msg_id: `${nowMs}-${number}` };
    return this.send(number, eventBody(teamId(team), { eventId: `Ev${nowMs}${number}`, event }));
  }

  /** Throws if it does not come. */
  async arrival(what: Noted['what'], mark: string): Promise<Noted> {
    const endsAtMs = Date.now() + LIMIT_MS;
    for (;;) {
      const found = this.noted.get(`${what} ${mark}`);
      if (found !== undefined) return found;
      if (Date.now() > endsAtMs) throw new Error(`the ${what} of ${mark} did not come`);
      await pause(LOOK_EVERY_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isOver = true;
    await this.looking;
  }

  private next(): number {
    this.sent += 1;
    return this.sent;
  }

  /** As a balancer does, to one replica after the other. */
  private async send(number: number, body: Parameters<typeof signed>[0]): Promise<void> {
    const port = this.ports[number % this.ports.length] ?? 0;
    await sendLoad({ port, next: () => signed(body), atOnce: 1, until: { count: 1 } });
  }

  private async look(): Promise<void> {
    while (!this.isOver) {
      const news = (await (await fetch(`${this.standInUrl}/noted`)).json()) as readonly Noted[];
      for (const one of news) {
        const key = `${one.what} ${one.mark}`;
        if (!this.noted.has(key)) this.noted.set(key, one);
      }
      await pause(LOOK_EVERY_MS);
    }
  }
}
