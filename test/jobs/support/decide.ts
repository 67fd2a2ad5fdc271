import { eventFeatures } from '../../../src/app/features.ts';
import { decide as decideWith } from '../../../src/jobs/decide/decide.ts';
import type { Decision, DecisionContext, JobState } from '../../../src/jobs/decide/decision-builder.ts';
import type { JobEvent } from '../../../src/jobs/event.ts';

/** With all features. */
export function decide(state: JobState, event: JobEvent, context: DecisionContext): Decision {
  return decideWith(state, event, context, eventFeatures.decisions);
}
