import type { MessageEvent } from '../../messages/reply.ts';
import { writtenOf } from '../../messages/written.ts';
import { notInstalledView, notSetUpView } from '../../views/access.ts';
import { isReady } from '../../workspace/workspace.ts';
import { noteRequest } from '../connection/logged-request.ts';
import type { AnyWorkspaceDeps, ListenerDeps } from '../deps.ts';
import { admissionProblem } from './admission.ts';
import { answering } from './in-time.ts';
import { type Args, interactionOf } from './interaction.ts';
import { bestEffort } from './replies.ts';

/**
 * Stands before the listeners of commands, buttons, shortcuts and modals: who may not use the program is told so, and
 * the request goes no further. Messages are let through here; their listeners ask `isAdmitted` for those in threads
 * of ours.
 */
export function checkAccess(deps: ListenerDeps) {
  return async (args: Args): Promise<void> => {
    const request = interactionOf(deps, args);
    if (request === null) return args.next();
    await answering(deps, async () => {
      const problem = await admissionProblem(deps, request.userId, request.channelId);
      if (problem === null) return args.next();
      noteRequest({ outcome: 'refused' });
      await request.refuse(problem);
    });
  };
}

/**
 * Stands before all others: in a workspace that is not set up, who speaks to the program is told so, and nothing is
 * stored.
 */
export function checkWorkspace(deps: AnyWorkspaceDeps) {
  return async (args: Args): Promise<void> => {
    if (isReady(deps)) return args.next();
    const request = interactionOf(deps, args);
    // A button that only opens a link: it opens in any case.
    if (request === null && 'action' in args) return args.ack();
    noteRequest({ outcome: 'refused' });
    const { teamId, isInstalled } = deps;
    const problem = isInstalled ? notSetUpView(teamId) : notInstalledView();
    if (request !== null) return request.refuse(problem);
    deps.log.info('workspace_not_ready', { team_id: teamId, is_installed: isInstalled });
    if (isInstalled) await bestEffort(deps, answerEvent(deps, args));
  };
}

/** Mentions, direct messages and the home tab get an answer; other events are not meant for the program. */
async function answerEvent(deps: AnyWorkspaceDeps, args: Args): Promise<void> {
  if (!('event' in args)) return;
  const { event } = args;
  const problem = notSetUpView(deps.teamId);
  if (event.type === 'app_home_opened') return deps.poster.publishHome(event.user, problem);
  const isSpokenTo =
    event.type === 'app_mention' || (event.type === 'message' && event.channel_type === 'im');
  const written = isSpokenTo ? writtenOf(event as MessageEvent, deps.botUserId) : null;
  if (written === null || !(await deps.access.isPerson(written.userId))) return;
  await deps.poster.whisperOrTell(written, problem);
}
