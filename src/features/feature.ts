import type { KeyObject } from 'node:crypto';
import type { z } from 'zod';
import type { CodeHostSettings } from '#codehost/client.ts';
import type { Finding, Given } from '#doctor/finding.ts';
import type { AfterWrite } from '#engine/apply-event.ts';
import type { TaskHandlers } from '#engine/loop.ts';
import type { Recurring } from '#engine/schedules.ts';
import type { ServiceReport } from '#jobs/agent-job.ts';
import type { FeatureDecisions } from '#jobs/decide/decide.ts';
import type { Job } from '#jobs/job.ts';
import type { BodyReader, Route } from '#runtime/http-server.ts';
import type { FeatureListeners } from '#slack/inbound/listener.ts';
import type { SlackTools } from '#slack/outbound/refresh.ts';
import type { Scope } from '#slack/protocol/scopes.ts';
import type { FeatureViews } from '#slack/views/announcement.ts';
import type { JobButton } from '#slack/views/buttons.ts';
import type { StoreFacts } from '#store/inspect.ts';

export type NamedSecret = Readonly<{
  variable: string;
  /** Ends a message about it. */
  of: string;
  example: string;
  /** The keys, or the problem. */
  read: (text: string) => readonly KeyObject[] | string;
}>;

export type SettingProblem = Readonly<{
  path: readonly Step[];
  /** Follows the place's name. */
  message: string;
}>;

export type Step = string | number;

export type FeatureTools = SlackTools &
  Readonly<{
    codeHosts: readonly CodeHostSettings[];
    retentionMs: number;
    teamIds: readonly string[];
    secretsOf: (variable: string) => readonly KeyObject[];
    /** A workspace's part of the configuration file. */
    featureSettingsOf: (teamId: string) => object;
  }>;

export type Feature = Readonly<{
  /** Keys of the configuration file. The feature parses them again. */
  settings?: Readonly<Record<string, z.ZodType>>;
  contradictions?: (
    settings: object,
    projects: readonly string[],
    earlier: readonly object[],
  ) => Iterable<SettingProblem>;
  /** @param given may be invalid */
  secrets?: (given: object) => readonly NamedSecret[];
  /** Optional ones, where the settings make use of them. */
  scopes?: (settings: object, codeHosts: readonly CodeHostSettings[]) => readonly Scope[];
  schedules?: (settings: object) => readonly Recurring[];
  /** For doctor: channels that need the bot. `outside`: what does not work if people may not ask there. */
  channels?: (settings: object) => readonly Readonly<{
    check: 'recipe' | 'digest_channel';
    name: string;
    channelId: string;
    outside?: string;
  }>[];
  /** When a card shows a change, and after each check. Must neither wait nor throw. */
  shows?: (tools: FeatureTools) => (job: Job, isCheck: boolean) => void;
  decisions?: FeatureDecisions;
  afterWrite?: AfterWrite;
  views?: FeatureViews;
  /** A press is an event of the job. */
  buttons?: Readonly<Record<string, JobButton>>;
  run?: (tools: FeatureTools) => Running;
  /** `stored` null: the store cannot be read. */
  check?: (
    given: Given<{ readonly codeHosts: readonly CodeHostSettings[] }>,
    stored: Pick<StoreFacts, 'pullRequests'> | null,
  ) => Promise<readonly Finding[]>;
  routes?: (tools: FeatureTools, bodies: BodyReader) => readonly Route[];
  listeners?: (tools: FeatureTools) => FeatureListeners;
}>;

export type Running = Readonly<{
  tasks?: { readonly [Loop in 'slack' | 'read' | 'look']?: TaskHandlers };
  services?: () => readonly ServiceReport[];
  listeners?: FeatureListeners;
  close?: () => Promise<void>;
}>;
