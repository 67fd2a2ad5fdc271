import { noteGesture } from '../connection/noted-gesture.ts';
import { admissionProblem } from './admission.ts';
import type { ListenerDeps } from './deps.ts';
import { type Args, gestureOf } from './gesture.ts';
import { answering } from './in-time.ts';

/**
 * Stands before the listeners of commands, buttons, shortcuts and modals: who may not use the program is told so, and
 * the gesture goes no further. Messages are let through here; their listeners ask `isAdmitted` for those in threads
 * of ours.
 */
export function checkAccess(deps: ListenerDeps) {
  return async (args: Args): Promise<void> => {
    const gesture = gestureOf(deps, args);
    if (gesture === null) return args.next();
    await answering(deps, async () => {
      const problem = await admissionProblem(deps, gesture.userId, gesture.channelId);
      if (problem === null) return args.next();
      noteGesture({ outcome: 'refused' });
      await gesture.refuse(problem);
    });
  };
}
