import { parseCommand } from '../../../../jobs/command.ts';
import { sanitize } from '../../../protocol/sanitize.ts';
import { helpView } from '../../../views/help.ts';
import type { ListenerDeps } from '../deps.ts';
import { compose } from '../forms/compose.ts';
import { answer, type CommandArgs } from './answer.ts';
import { ask } from './ask.ts';
import { list } from './list.ts';
import { settings } from './settings.ts';
import { status } from './status.ts';
import { watch } from './watch.ts';

/** `/docs-agent …`: which command it is, and so whose work. */
export function command(deps: ListenerDeps) {
  return async (args: CommandArgs): Promise<void> => {
    const parsed = parseCommand(sanitize(args.command.text ?? ''));
    switch (parsed.kind) {
      case 'prompt':
        return ask(deps, args, parsed.text);
      case 'help':
        return answer(args, helpView());
      case 'compose':
        return compose(deps, args);
      case 'list':
        return list(deps, args);
      case 'status':
        return status(deps, args, parsed.id);
      case 'settings':
        return settings(deps, args);
      case 'watch':
        return watch(deps, args, parsed);
    }
  };
}
