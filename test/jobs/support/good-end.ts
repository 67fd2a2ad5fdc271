import type { Action } from './actions.ts';
import { HOUR_MS, MINUTE_MS } from './builders.ts';

/** Slack delivers everything, the agent takes what it is given, and finishes; replies go out until none is left. */
export const theGoodEnd: readonly Action[] = [
  { do: 'card', refused: false },
  { do: 'jump', ms: 2 * HOUR_MS },
  { do: 'get_says', answer: {} },
  ...Array.from({ length: 60 }).flatMap((): Action[] => [
    { do: 'tell', pick: 0 },
    { do: 'wait', ms: MINUTE_MS },
    { do: 'agent_takes', described: false },
  ]),
  { do: 'press', button: 'resume_watching', pick: 0 },
  { do: 'wait', ms: 10 * MINUTE_MS },
  { do: 'get_says', answer: { status: 'completed' } },
  { do: 'wait', ms: 10 * MINUTE_MS },
];
