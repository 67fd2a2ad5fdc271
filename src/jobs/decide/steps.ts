import type { JobEvent } from '../event.ts';
import { stepOf, stepResultOf } from '../steps.ts';
import type { DecisionBuilder } from './decision-builder.ts';

/** Completes the step of the workflow that asked for the job, as soon as it comes to something: once. */
export function completeStep(builder: DecisionBuilder, event: JobEvent): void {
  const { job } = builder;
  const step = stepOf(job);
  if (step === null || job.isStepCompleted === true) return;
  const result = stepResultOf(job, event.type === 'post_refused' ? event.reason : null);
  if (result === null) return;
  const { executionId } = step;
  builder.change({ isStepCompleted: true });
  builder.addCall(
    `complete:${executionId}`,
    { to: 'workflow', name: `step:${job.id}` },
    { kind: 'complete_step', executionId, result },
  );
}
