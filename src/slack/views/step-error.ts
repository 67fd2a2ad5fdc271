import type { AccessRefusal } from '../../jobs/requests/access.ts';
import type { StepProblem } from '../../jobs/steps.ts';
import { isNotInChannel, NOT_SEEN } from '../protocol/error-codes.ts';
import { readableText } from '../protocol/slack-text.ts';
import { oneLine } from './parts/untrusted.ts';
import { labels } from './parts/words.ts';
import type { Refusal } from './refusals.ts';
import { stepErrors } from './texts/steps.ts';

const WORDS_MAX = 300;
const NAME_MAX = 50;
const numbers = new Intl.NumberFormat('en-US');

/** Why nothing was stored of a step. */
export type StepRefusal =
  | Exclude<Refusal, { kind: 'thread_taken' }>
  | { readonly kind: 'no_channel' }
  /** `input`: its name. */
  | { readonly kind: 'not_readable'; readonly input: string }
  /** Null: nobody started the workflow, and the channel is not one of those that may be used then. */
  | { readonly kind: 'not_allowed'; readonly person: AccessRefusal | null };

export function stepRefusalText(refusal: StepRefusal): string {
  switch (refusal.kind) {
    case 'empty':
      return stepErrors.empty;
    case 'too_long':
    case 'too_long_together':
      return stepErrors.tooLong(numbers.format(refusal.length), numbers.format(refusal.maxLength));
    case 'unknown_project':
      return stepErrors.unknownProject(
        shown(refusal.name, NAME_MAX),
        shown(refusal.projects.map((project) => project.name).join(', ')),
      );
    case 'two_projects':
      return stepErrors.twoProjects(shown(refusal.named, NAME_MAX), shown(refusal.chosen, NAME_MAX));
    case 'no_channel':
      return stepErrors.noChannel;
    case 'not_readable':
      return stepErrors.notReadable(refusal.input);
    case 'not_allowed':
      return refusal.person === null
        ? stepErrors.notAllowedChannel
        : stepErrors.notAllowedPerson(stepErrors.reasons[refusal.person]);
  }
}

/** @param thread the address of the job's thread, if there is one. @param names of the people whom the problem names */
export function stepErrorText(
  problem: StepProblem,
  thread: string | null,
  names: ReadonlyMap<string, string>,
): string {
  const see = thread === null ? '' : stepErrors.see(thread);
  switch (problem.kind) {
    case 'not_posted':
      return notPosted(problem.reason);
    case 'refused': {
      const isSilent = problem.words.trim() === '';
      return isSilent ? stepErrors.refusedSilently : stepErrors.refused(shown(problem.words));
    }
    case 'dropped': {
      const name = problem.byUserId === null ? undefined : names.get(problem.byUserId);
      return stepErrors.dropped[problem.why](name === undefined ? labels.somebody : shown(name, NAME_MAX));
    }
    case 'unclear':
    case 'unwatched':
      return stepErrors[problem.kind] + see;
    default:
      return stepErrors[problem.kind];
  }
}

/** @param code Slack's, or NOT_SEEN */
function notPosted(code: string): string {
  if (isNotInChannel(code)) return stepErrors.notInChannel;
  if (code === NOT_SEEN) return stepErrors.notSeen;
  const refusal = stepErrors.postRefusals[code];
  return stepErrors.notPosted(refusal ?? stepErrors.otherPostRefusal(shown(code, NAME_MAX)));
}

function shown(untrusted: string, max = WORDS_MAX): string {
  return oneLine(readableText(untrusted, new Map()), max);
}
