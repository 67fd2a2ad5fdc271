import type { KeyObject } from 'node:crypto';
import type { z } from 'zod';
import type { CodeHostSettings } from '../codehost/connect.ts';
import type { Finding, Given } from '../doctor/finding.ts';
import type { AfterWrite } from '../engine/apply-event.ts';
import type { TaskHandlers } from '../engine/loop.ts';
import type { Periodic } from '../engine/runtime/clock.ts';
import type { BodyReader, Route } from '../engine/runtime/http-server.ts';
import type { Recurring } from '../engine/schedules.ts';
import type { FeatureDecisions } from '../jobs/decide/decide.ts';
import type { Job } from '../jobs/job.ts';
import type { ServiceReport } from '../jobs/service-facts.ts';
import type { FeatureListeners } from '../slack/inbound/listener.ts';
import type { SlackTools } from '../slack/outbound/refresh/refresh.ts';
import type { FeatureViews } from '../slack/views/announcement.ts';
import type { JobButton } from '../slack/views/buttons.ts';
import type { StoreFacts } from '../store/inspect.ts';

export interface NamedSecret {
  readonly variable: string;
  /** Ends a message about it. */
  readonly of: string;
  readonly example: string;
  /** The keys, or the problem. */
  readonly read: (text: string) => readonly KeyObject[] | string;
}

export interface Wrong {
  readonly path: readonly Step[];
  /** Follows the place's name. */
  readonly message: string;
}

export type Step = string | number;

export interface FeatureTools extends SlackTools {
  readonly codeHosts: readonly CodeHostSettings[];
  readonly retentionMs: number;
  readonly teamIds: readonly string[];
  readonly secretsOf: (variable: string) => readonly KeyObject[];
  /** A workspace's part of the configuration file. */
  readonly settingsOf: (teamId: string) => object;
}

export interface Feature {
  /** Keys of the configuration file. The feature parses them again. */
  readonly settings?: Readonly<Record<string, z.ZodType>>;
  readonly contradictions?: (
    settings: object,
    projects: readonly string[],
    earlier: readonly object[],
  ) => Iterable<Wrong>;
  /** @param given may be invalid */
  readonly secrets?: (given: object) => readonly NamedSecret[];
  readonly schedules?: (settings: object) => readonly Recurring[];
  /** For doctor: channels that need the bot. `outside`: finding and advice if people may not ask there. */
  readonly channels?: (settings: object) => readonly {
    readonly check: 'recipe' | 'digest_channel';
    readonly name: string;
    readonly channelId: string;
    readonly outside?: readonly [found: string, next: string];
  }[];
  /** When a card shows a change, and after each check. Must neither wait nor throw. */
  readonly shows?: (tools: FeatureTools) => (job: Job, isCheck: boolean) => void;
  readonly decisions?: FeatureDecisions;
  readonly afterWrite?: AfterWrite;
  readonly views?: FeatureViews;
  /** A press is an event of the job. */
  readonly buttons?: Readonly<Record<string, JobButton>>;
  readonly run?: (tools: FeatureTools) => Running;
  /** `stored` null: the store cannot be read. */
  readonly check?: (
    given: Given<{ readonly codeHosts: readonly CodeHostSettings[] }>,
    stored: StoreFacts | null,
  ) => Promise<readonly Finding[]>;
  readonly routes?: (tools: FeatureTools, bodies: BodyReader) => readonly Route[];
  readonly listeners?: (tools: FeatureTools) => FeatureListeners;
}

export interface Running {
  readonly tasks?: { readonly [Loop in 'slack' | 'read' | 'look']?: TaskHandlers };
  readonly periodic?: readonly Periodic[];
  readonly services?: () => readonly ServiceReport[];
  readonly close?: () => Promise<void>;
}
