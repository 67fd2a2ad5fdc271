import { allHelpModal, helpView } from '../../views/help.ts';
import type { ListenerDeps, PressArgs } from '../deps.ts';
import { answerBeside, openForm } from '../requests/private-answers.ts';

/** *Show help*, beside a question: it can still be answered. */
export function showHelp(deps: ListenerDeps) {
  return async ({ ack, body, respond }: PressArgs): Promise<void> => {
    await ack();
    await answerBeside(deps, { body, respond }, helpView());
  };
}

/** *Everything I can do*, below the help. */
export function showAllHelp(deps: ListenerDeps) {
  return async ({ ack, body }: PressArgs): Promise<void> => {
    await ack();
    await openForm(deps, body.trigger_id, allHelpModal());
  };
}
