import { parseCommand } from '../../jobs/command.ts';
import { sanitize } from '../text/sanitize.ts';
import { helpView } from '../views/help.ts';
import { emptyPromptView, reservedWordView } from '../views/refusals.ts';
import { answer, type CommandArgs } from './answer.ts';
import { ask } from './ask.ts';
import type { ListenerDeps } from './deps.ts';

/** `/docs-agent …`: which command it is, and so whose work. */
export function command(deps: ListenerDeps) {
  return async (args: CommandArgs): Promise<void> => {
    const parsed = parseCommand(sanitize(args.command.text ?? ''));
    switch (parsed.kind) {
      case 'prompt':
        return ask(deps, args, parsed.prompt);
      case 'help':
        return answer(args, helpView());
      case 'compose':
        return answer(args, emptyPromptView());
      case 'list':
      case 'settings':
      case 'status':
      case 'watch':
        return answer(args, reservedWordView(parsed.kind));
    }
  };
}
