import type { FollowUp } from '../follow-up.ts';
import { threadWordOf } from '../thread-word.ts';
import type { Draft } from './draft.ts';
import { saidWord } from './replies.ts';

/**
 * What people did to replies while these were on their way counts once it is clear that the agent did not say that it
 * has them. Returns those that are still meant for the agent.
 */
export function stillMeant(draft: Draft, followUps: readonly FollowUp[]): FollowUp[] {
  return followUps.filter((followUp) => {
    const word = followUp.corrected === null ? null : threadWordOf(followUp.corrected);
    if (followUp.isDeleted) draft.put([{ ...followUp, state: 'withdrawn' }]);
    else if (word !== null) saidWord(draft, followUp, word);
    else return true;
    return false;
  });
}

/** What may go out again goes out as it was edited meanwhile. */
export function asItReads(followUp: FollowUp): FollowUp {
  return { ...followUp, text: followUp.corrected ?? followUp.text, corrected: null };
}
