import type { AccessRefusal } from '../../jobs/policy.ts';
import type { StepProblem } from '../../jobs/steps.ts';
import { isNotInChannel, NOT_SEEN } from '../protocol/error-codes.ts';
import { readableText } from '../protocol/slack-text.ts';
import { oneLine } from './parts/untrusted.ts';
import { labels } from './parts/words.ts';
import type { Refusal } from './refusals.ts';

/** What Slackbot tells a workflow's people when its step failed. Plain text. */
const stepErrors = {
  empty: 'The request is empty.',
  tooLong: (length: string, limit: string): string =>
    `The request is too long: ${length} characters; the limit is ${limit}.`,
  unknownProject: (name: string, available: string): string =>
    `There's no project “${name}”. Available: ${available}.`,
  twoProjects: (named: string, chosen: string): string =>
    `Which project? The request begins with project=${named}, but the step's project is ${chosen}.`,
  noChannel: 'The step needs a channel.',
  notReadable: (input: string): string => `The step's input “${input}” can't be read.`,
  notAllowedChannel: "Workflows can't start jobs in that channel. Ask an administrator of docs-agent.",
  notAllowedPerson: (reason: string): string =>
    `The person who started the workflow can't use docs-agent in that channel: ${reason}. Ask an administrator of docs-agent.`,
  reasons: {
    nobody: "bots and deactivated accounts aren't allowed",
    unknown_person: "Slack doesn't say who that is",
    other_workspace: 'only members of this workspace',
    guest: "guests aren't allowed",
    person: 'only certain people',
    channel: 'only certain channels',
    shared_channel: 'the channel is shared with another organisation',
    unread_channel: "docs-agent can't tell whether the channel is shared with another organisation",
  } satisfies Readonly<Record<AccessRefusal, string>>,
  notInChannel: "docs-agent isn't in that channel. Invite it with /invite @docs-agent.",
  notPosted: (reason: string): string => `docs-agent couldn't post in that channel: ${reason}.`,
  /** By Slack's error code. */
  postRefusals: {
    channel_is_shared: 'it is shared with another organisation',
    is_archived: 'it is archived',
    channel_is_archived: 'it is archived',
    restricted_action: "it isn't allowed to",
    restricted_action_read_only_channel: "it isn't allowed to",
    restricted_action_thread_only_channel: 'only replies in threads are allowed there',
  } as Readonly<Record<string, string>>,
  otherPostRefusal: (code: string): string => `Slack says ${code}`,
  notSeen: "Slack didn't confirm whether the card was posted in that channel. If it's there, ignore it.",
  draft_unseen:
    "Slack didn't confirm whether the draft was posted in that channel. If it's there, it can still be started.",
  refused: (words: string): string => `The agent didn't accept the request. It says: ${words}`,
  refusedSilently: "The agent didn't accept the request, and gave no reason.",
  dropped: {
    dismissed: (name: string): string => `Dismissed by ${name}.`,
    withdrawn: (name: string): string => `Withdrawn by ${name}.`,
    expired: (): string => 'The draft expired after 7 days.',
  },
  failed: 'The job failed; the agent gave no reason.',
  vanished: 'The agent no longer knows the job.',
  archived: 'The job was archived before there was a pull request.',
  unclear: 'Nobody could confirm the start.',
  unwatched: 'Somebody stopped watching the job. The agent may still be working.',
  see: (thread: string): string => ` See ${thread}.`,
} as const;

const WORDS_MAX = 300;
const NAME_MAX = 50;
const numbers = new Intl.NumberFormat('en-US');

export type StepRefusal =
  | Exclude<Refusal, { kind: 'thread_taken' }>
  | { readonly kind: 'no_channel' }
  /** `input`: its name. */
  | { readonly kind: 'not_readable'; readonly input: string }
  /** Null: nobody started the workflow, and its channel may not be used that way. */
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

/** @param thread the URL of the job's thread, if any. @param names of the people in the problem */
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
