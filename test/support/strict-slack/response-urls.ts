import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../src/runtime/clock.ts';
import { ApiError } from './api-error.ts';
import { checkedBlocks, withIds } from './blocks.ts';
import { strictApp } from './ids.ts';
import type { StoredMessage } from './message.ts';
import type { Channel, Workspace } from './workspace.ts';

const MAX_USES = 5;
const LIFE_MS = 30 * 60_000;
const TEXT_MAX = 40_000;

const answer = z.object({
  text: z.string().max(TEXT_MAX).optional(),
  blocks: z.unknown().optional(),
  response_type: z.enum(['ephemeral', 'in_channel']).optional(),
  replace_original: z.boolean().optional(),
  thread_ts: z.string().optional(),
});

interface Place {
  readonly channel: Channel;
  readonly userId: string;
  /** The message whose button was pressed. */
  readonly original: StoredMessage | null;
}

/** The addresses at which a command or a press can be answered for a while. */
export class ResponseUrls {
  readonly #workspace: Workspace;
  readonly #clock: Clock;
  readonly #baseUrl: string;
  readonly #open = new Map<string, Place & { readonly untilMs: number; uses: number }>();

  constructor(workspace: Workspace, clock: Clock, baseUrl: string) {
    this.#workspace = workspace;
    this.#clock = clock;
    this.#baseUrl = baseUrl;
  }

  create(place: Place): string {
    const id = randomUUID();
    this.#open.set(id, { ...place, untilMs: this.#clock.now() + LIFE_MS, uses: 0 });
    return `${this.#baseUrl}/response/${id}`;
  }

  /** What was posted to the address with this id. Throws ApiError. */
  take(id: string, body: unknown): void {
    const place = this.#open.get(id);
    if (place === undefined) throw new ApiError('no_such_url');
    if (this.#clock.now() >= place.untilMs) throw new ApiError('expired_url');
    if (place.uses >= MAX_USES) throw new ApiError('used_url');
    place.uses += 1;
    this.show(place, body);
  }

  /** Shows an answer to a command or a press, to the person who acted or to all. */
  show({ channel, userId, original }: Place, body: unknown): void {
    const parsed = answer.safeParse(body);
    if (!parsed.success) throw new ApiError('invalid_payload');
    const { text = '', blocks, response_type, replace_original, thread_ts } = parsed.data;
    const shown = { text, ...(blocks === undefined ? {} : { blocks: withIds(checkedBlocks(blocks)) }) };
    if (replace_original && original !== null) {
      const { blocks: _blocks, ...kept } = channel.log.get(original.ts) ?? original;
      this.#workspace.update(channel, { ...kept, ...shown });
    } else if (text !== '' || blocks !== undefined) {
      const { botUserId, botId, appId } = strictApp;
      this.#workspace.post(channel, {
        user: botUserId,
        bot_id: botId,
        app_id: appId,
        ...shown,
        ...(thread_ts === undefined ? {} : { thread_ts }),
        ...(response_type === 'in_channel' ? {} : { subtype: 'ephemeral', ephemeral_to: userId }),
      });
    }
  }
}
