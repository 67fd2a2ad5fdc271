import type { WebClient } from '@slack/web-api';
import type { Clock } from '../operations/clock.ts';
import type { Logger } from '../operations/logger.ts';
import { classify } from './failure.ts';
import { mentionedUserIds } from './text/readable-text.ts';

const KEEP_MS = 3_600_000;
const MAX_NAMES = 5_000;
/** Bounds the look-ups that one text can cause; further mentions show their ids. */
const MAX_LOOKUPS_PER_TEXT = 20;

/** Turns the ids in `<@U…>` into the names that people see (`users.info`), with a bounded cache. */
export class UserNames {
  private readonly client: WebClient;
  private readonly clock: Clock;
  private readonly log: Logger;
  private readonly cache = new Map<string, { readonly name: string; readonly untilMs: number }>();

  constructor(client: WebClient, clock: Clock, log: Logger) {
    this.client = client;
    this.clock = clock;
    this.log = log;
  }

  /** The names of those who are mentioned in the text. Who cannot be looked up is left out. */
  async of(slackText: string): Promise<ReadonlyMap<string, string>> {
    const ids = mentionedUserIds(slackText).slice(0, MAX_LOOKUPS_PER_TEXT);
    const entries = await Promise.all(ids.map(async (id) => [id, await this.nameOf(id)] as const));
    return new Map(entries.flatMap(([id, name]) => (name === null ? [] : [[id, name]])));
  }

  private async nameOf(userId: string): Promise<string | null> {
    const known = this.cache.get(userId);
    if (known !== undefined && known.untilMs > this.clock.now()) return known.name;
    try {
      const { user } = await this.client.users.info({ user: userId });
      const name = user?.profile?.display_name || user?.real_name || user?.name;
      if (!name) return null;
      this.remember(userId, name);
      return name;
    } catch (error) {
      this.log.warn('user_name_not_found', { user_id: userId, reason: classify(error).code });
      return null;
    }
  }

  private remember(userId: string, name: string): void {
    const [oldest] = this.cache.keys();
    if (this.cache.size >= MAX_NAMES && oldest !== undefined) this.cache.delete(oldest);
    this.cache.set(userId, { name, untilMs: this.clock.now() + KEEP_MS });
  }
}
