import type { AllMiddlewareArgs, SlackCommandMiddlewareArgs } from '@slack/bolt';
import { type Command, parseCommand } from '../../jobs/command.ts';
import { openJob } from '../../jobs/decide/open.ts';
import { judgePrompt } from '../../jobs/prompt.ts';
import { readableText } from '../text/readable-text.ts';
import { sanitize } from '../text/sanitize.ts';
import { helpView } from '../views/help.ts';
import type { SlackMessage } from '../views/message.ts';
import { emptyPromptView, promptTooLongView, reservedWordView } from '../views/refusals.ts';
import type { ListenerDeps } from './deps.ts';
import { storeGesture } from './store-gesture.ts';

type Args = SlackCommandMiddlewareArgs & AllMiddlewareArgs;

/** `/docs-agent …`: a request is stored, and only then acknowledged; anything else is answered privately. */
export function askCommand(deps: ListenerDeps) {
  return async ({ command, ack }: Args): Promise<void> => {
    const parsed = parseCommand(sanitize(command.text ?? ''));
    const answer = privateAnswer(parsed, deps.newContext().policy.promptMaxLength);
    if (answer !== null) return ack({ response_type: 'ephemeral', ...answer });
    if (parsed.kind !== 'prompt') return ack();
    const problem = await storeGesture(deps, () => write(deps, command, parsed.prompt));
    await (problem === null ? ack() : ack({ response_type: 'ephemeral', ...problem }));
  };
}

function privateAnswer(command: Command, promptMaxLength: number): SlackMessage | null {
  if (command.kind === 'help') return helpView();
  if (command.kind === 'reserved') return reservedWordView(command.word);
  const verdict = judgePrompt(readableText(command.prompt, new Map()), promptMaxLength);
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
async function write(deps: ListenerDeps, command: Args['command'], prompt: string): Promise<void> {
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
