import { resumedRuns } from '../../../jobs/recipes/runs.ts';
import type { SlackMessage } from '../../views/parts/message.ts';
import { notPausedView, resumedView } from '../../views/recipes.ts';
import { noteRequest } from '../connection/request-log.ts';
import type { ListenerDeps, PressArgs } from '../deps.ts';
import { adminProblem } from '../requests/admission.ts';
import { namesIn, storeRequest } from '../requests/in-time.ts';
import { type PressRecord, recordPress } from '../requests/press-record.ts';
import { answerBeside, bestEffort } from '../requests/private-answers.ts';

/** *Resume*: an administrator lets a recipe start by itself again. What it has missed is not made up for. */
export function resumeRecipe(deps: ListenerDeps) {
  return async ({ action, body, ack, respond }: PressArgs): Promise<void> => {
    const name = action.value ?? '';
    const userId = body.user.id;
    const privately = (message: SlackMessage) => answerBeside(deps, { body, respond }, message);
    const problem = await adminProblem(deps, userId, 'resume');
    if (problem !== null) {
      await ack();
      return privately(problem);
    }
    const stored = await storeRequest(deps, {
      write: () => resume(deps, name, body.trigger_id, { userId, button: action.action_id }),
    });
    if ('problem' in stored) {
      await privately(stored.problem);
      // Unacknowledged, so that Slack shows a warning at the button, too.
      throw new Error(`the press of ${action.action_id} was not stored`);
    }
    await ack();
    const hasEffect = stored.result;
    if (hasEffect === null) return noteRequest({ outcome: 'duplicate' });
    if (!hasEffect) return privately(notPausedView(name));
    deps.log.info('recipe_resumed', { team_id: deps.teamId, recipe: name, user_id: userId });
    const names = await namesIn(deps, [`<@${userId}>`]);
    const view = resumedView(name, names.get(userId) ?? 'somebody');
    await bestEffort(deps, respond({ replace_original: true, ...view }));
  };
}

/** False if it is not paused; null: the press was delivered before. */
function resume(
  deps: ListenerDeps,
  name: string,
  triggerId: string,
  press: Pick<PressRecord, 'userId' | 'button'>,
): Promise<boolean | null> {
  return deps.store.transaction(async (tx) => {
    const context = deps.newContext();
    const key = { teamId: deps.teamId, name };
    const keys = triggerId ? [`press:${deps.teamId}:${triggerId}`] : [];
    if (!(await tx.inboundRequests.remember(keys, context.nowMs))) return null;
    const isPaused = (await tx.recipes.get(key)).pausedAtMs !== null;
    const runs = isPaused ? await tx.recipes.lock(key) : null;
    const hasEffect = runs !== null && runs.pausedAtMs !== null;
    if (hasEffect) await tx.recipes.put(key, resumedRuns(runs));
    await recordPress(tx, deps, context, { ...press, jobId: null, hasEffect });
    return hasEffect;
  });
}
