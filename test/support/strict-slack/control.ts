import { createMessageControl } from './message-control.ts';
import { type ControlOptions, createSlackRequests } from './slack-requests.ts';
import { createStepControl } from './step-control.ts';
import { createViewControl } from './view-control.ts';
import { createWorkspaceControl } from './workspace-control.ts';

export type StrictControl = ReturnType<typeof createControl>;

/**
 * Acts as the people of the workspace. What makes a request returns when the bot has acknowledged it, when the
 * first attempt to deliver it has failed, or when 3 seconds of the clock have passed; it never throws for that.
 */
export function createControl(options: ControlOptions) {
  const requests = createSlackRequests(options);
  return {
    ...createMessageControl(options, requests),
    ...createViewControl(options, requests),
    ...createWorkspaceControl(options, requests),
    ...createStepControl(options, requests),
  };
}
