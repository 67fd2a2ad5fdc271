import { eventCallback } from './payloads.ts';
import type { ControlOptions, SlackRequests } from './slack-requests.ts';

/** What workflows do. */
export function createStepControl({ clock, context: { steps } }: ControlOptions, { tell }: SlackRequests) {
  return {
    /** A workflow comes to its step "Ask docs-agent" (or another of the app's). Returns the id of the execution. */
    runStep: async (inputs: Readonly<Record<string, unknown>>, callbackId = 'ask_docs_agent') => {
      const { executionId, token } = steps.start();
      const event = {
        type: 'function_executed',
        function: { id: 'Fn0ASK', callback_id: callbackId, title: 'Ask docs-agent', type: 'app' },
        inputs,
        function_execution_id: executionId,
        workflow_execution_id: 'Wx0RUN',
        event_ts: (clock.now() / 1000).toFixed(6),
        bot_access_token: token,
      };
      await tell('event', eventCallback(event, { nowMs: clock.now(), isShared: false }));
      return executionId;
    },
    /** How the step ended; null: it has not. */
    stepEnd: (executionId: string) => steps.end(executionId),
  };
}
