import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../src/runtime/clock.ts';
import type { SlackMessage } from '../local-slack.ts';
import type { Deliverer } from './deliverer.ts';
import type { Acknowledgement, SlackRequest } from './delivery.ts';
import type { StoredMessage } from './message.ts';
import type { MethodContext } from './method.ts';
import type { Person } from './people.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { WebApi } from './web-api.ts';
import type { Channel } from './workspace.ts';

export interface ControlOptions {
  readonly clock: Clock;
  readonly context: MethodContext;
  readonly deliverer: Deliverer;
  readonly responseUrls: ResponseUrls;
  readonly webApi: WebApi;
}

/** What all that people do has in common. */
export interface SlackRequests {
  /** Throws if there is no such person. */
  personOf(userId: string): Person;
  /** The message as it is now. Throws if there is none. */
  stored(message: SlackMessage): { readonly channel: Channel; readonly message: StoredMessage };
  tell(kind: SlackRequest['kind'], payload: SlackRequest['payload']): Promise<Acknowledgement>;
}

export function createSlackRequests({ context: { workspace }, deliverer }: ControlOptions): SlackRequests {
  return {
    personOf: (userId) => {
      const person = workspace.people.find(userId);
      if (person === undefined) throw new Error(`there is no user ${userId}`);
      return person;
    },
    stored: ({ channel: id, ts }) => {
      const channel = workspace.channel(id);
      const message = channel.log.get(ts);
      if (message === undefined) throw new Error(`there is no message ${ts} in ${id}`);
      return { channel, message };
    },
    tell: (kind, payload) => deliverer.deliver({ id: randomUUID(), kind, payload }),
  };
}
