import { openJob } from '../../jobs/decide/open.ts';
import { judgePrompt } from '../../jobs/prompt.ts';
import { readableText } from '../text/readable-text.ts';
import type { SlackMessage } from '../views/message.ts';
import { emptyPromptView, promptTooLongView } from '../views/refusals.ts';
import { answer, type CommandArgs } from './answer.ts';
import type { ListenerDeps } from './deps.ts';
import { storeGesture } from './store-gesture.ts';

/** A prompt behind the command: it is stored, and only then acknowledged, or it is answered privately. */
export async function ask(deps: ListenerDeps, args: CommandArgs, prompt: string): Promise<void> {
  const problem =
    promptProblem(prompt, deps.newContext().policy.promptMaxLength) ??
    (await storeGesture(deps, () => write(deps, args.command, prompt)));
  await (problem === null ? args.ack() : answer(args, problem));
}

/** Why a prompt, as Slack delivered it, cannot be sent; or null. */
function promptProblem(prompt: string, promptMaxLength: number): SlackMessage | null {
  const verdict = judgePrompt(readableText(prompt, new Map()), promptMaxLength);
  switch (verdict.kind) {
    case 'ok':
      return null;
    case 'empty':
      return emptyPromptView();
    case 'too_long':
      return promptTooLongView(verdict.length, verdict.maxLength);
  }
}

/** Stores the request, once, however often it is delivered. */
async function write(deps: ListenerDeps, command: CommandArgs['command'], prompt: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    const context = deps.newContext();
    const keys = command.trigger_id ? [`trigger:${command.trigger_id}`] : [];
    if (!(await tx.gestures.remember(keys, context.nowMs))) return;
    const [project] = deps.projects;
    const request = {
      teamId: command.team_id,
      channelId: command.channel_id,
      requesterId: command.user_id,
      projectId: project.id,
      projectName: project.name,
      prompt,
      responseUrl: command.response_url,
      thread: null,
    };
    await tx.write(openJob(request, context), context.nowMs);
  });
}
