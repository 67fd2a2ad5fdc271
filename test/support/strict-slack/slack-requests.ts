import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../src/runtime/clock.ts';
import type { SlackMessage } from '../local-slack.ts';
import type { Deliverer } from './deliverer.ts';
import type { SlackRequest } from './delivery.ts';
import type { MethodContext } from './method.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { WebApi } from './web-api.ts';

export interface ControlOptions {
  readonly clock: Clock;
  readonly context: MethodContext;
  readonly deliverer: Deliverer;
  readonly responseUrls: ResponseUrls;
  readonly webApi: WebApi;
}

export type SlackRequests = ReturnType<typeof createSlackRequests>;

/** What all that people do has in common. */
export function createSlackRequests({ context: { workspace }, deliverer }: ControlOptions) {
  return {
    /** Throws if there is no such person. */
    personOf: (userId: string) => {
      const person = workspace.people.find(userId);
      if (person === undefined) throw new Error(`there is no user ${userId}`);
      return person;
    },
    /** The message as it is now. Throws if there is none. */
    stored: ({ channel: id, ts }: SlackMessage) => {
      const channel = workspace.channel(id);
      const message = channel.log.get(ts);
      if (message === undefined) throw new Error(`there is no message ${ts} in ${id}`);
      return { channel, message };
    },
    tell: (kind: SlackRequest['kind'], payload: SlackRequest['payload']) =>
      deliverer.deliver({ id: randomUUID(), kind, payload }),
  };
}
