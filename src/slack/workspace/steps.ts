import { isStepOver } from '../protocol/error-codes.ts';
import type { Completion, Poster } from './poster.ts';
import { SlackCallError } from './web-api/failure.ts';

const OUTPUTS_REFUSED = 'parameter_validation_failed';

/** `over`: it was completed before, or its workflow was cancelled. Otherwise, whose token completed it. */
type Completed = 'event' | 'bot' | 'over';

/**
 * Completes a workflow's step. A second time changes nothing. Throws SlackCallError.
 * @param token the one that came with the step, if it may still be valid; otherwise the bot's is used
 */
export async function completeStep(
  poster: Poster,
  completion: Completion,
  token: string | null,
): Promise<Completed> {
  try {
    await complete(poster, completion, token);
    return token === null ? 'bot' : 'event';
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    // The step's token has expired; the bot's may work.
    if (token !== null && error.failure.needsAdmin) return completeStep(poster, completion, null);
    if (isStepOver(error.failure.code)) return 'over';
    throw error;
  }
}

/** Slack does not document whether it takes an empty output, so it is left out after a refusal. */
async function complete(poster: Poster, completion: Completion, token: string | null): Promise<void> {
  try {
    await poster.completeStep(completion, token);
  } catch (error) {
    const code = error instanceof SlackCallError ? error.failure.code : null;
    if (completion.kind === 'error' || code !== OUTPUTS_REFUSED) throw error;
    const given = Object.entries(completion.outputs).filter(([, value]) => value !== '');
    await poster.completeStep({ ...completion, outputs: Object.fromEntries(given) }, token);
  }
}
