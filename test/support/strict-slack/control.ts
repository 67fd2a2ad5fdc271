import type { SlackControl } from '../local-slack.ts';
import { createMessageControl, type MessageControl } from './message-control.ts';
import { type ControlOptions, createSlackRequests } from './slack-requests.ts';
import { createStepControl, type StepControl } from './step-control.ts';
import { createViewControl, type ViewControl } from './view-control.ts';
import { createWorkspaceControl, type WorkspaceControl } from './workspace-control.ts';

const LOG_MAX = 1_000;

/**
 * Acts as the people of the workspace. What makes a request returns when the bot has acknowledged it, when the
 * first attempt to deliver it has failed, or when 3 seconds of the clock have passed; it never throws for that.
 */
export interface StrictControl
  extends MessageControl,
    ViewControl,
    WorkspaceControl,
    StepControl,
    Pick<SlackControl, 'log' | 'reset'> {}

export function createControl(options: ControlOptions): StrictControl {
  const { context, deliverer, webApi } = options;
  const { workspace, views, files, sessions, steps } = context;
  const requests = createSlackRequests(options);
  return {
    ...createMessageControl(options, requests),
    ...createViewControl(options, requests),
    ...createWorkspaceControl(options, requests),
    ...createStepControl(options, requests),
    log: async () => [
      ...webApi.calls.slice(-LOG_MAX).map(({ method, args }) => ({
        direction: 'from_bot' as const,
        kind: method,
        summary: method,
        detail: args,
      })),
      ...deliverer.records.slice(-LOG_MAX).map(({ kind, payload }) => ({
        direction: 'to_bot' as const,
        kind,
        summary: kind,
        detail: payload,
      })),
    ],
    reset: async () => {
      for (const store of [workspace, views, files, sessions, steps]) store.forget();
      webApi.calls.length = 0;
      deliverer.forget();
    },
  };
}
