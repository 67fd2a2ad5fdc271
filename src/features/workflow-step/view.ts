import type { AccessRefusal } from '#jobs/policy.ts';
import type { StepProblem } from '#jobs/steps.ts';
import { isNotInChannel, NOT_SEEN } from '#slack/protocol/error-codes.ts';
import { lengths, type Refusal, whyNot, whyRefused } from '#slack/views/private-answers.ts';
import { labels, type Names, typedLine } from '#slack/views/text.ts';

const WORDS_MAX = 300;
const NAME_MAX = 50;

const NOT_ALLOWED: typeof whyNot = {
  ...whyNot,
  unknown_person: "Slack doesn't say who that is",
  shared_channel: 'the channel is shared with another organisation',
  unread_channel: "docs-agent can't tell whether the channel is shared with another organisation",
};

export type StepRefusal = Readonly<
  | Exclude<Refusal, { kind: 'thread_taken' }>
  | { kind: 'no_channel' }
  | { kind: 'not_readable'; input: string }
  /** Null: nobody started the workflow. */
  | { kind: 'not_allowed'; person: AccessRefusal | null }
>;

export function stepRefusalText(refusal: StepRefusal): string {
  switch (refusal.kind) {
    case 'empty':
      return 'The request is empty.';
    case 'too_long':
    case 'too_long_together':
      return `The request is too long: ${lengths(refusal)}.`;
    case 'unknown_project': {
      const available = typedLine(refusal.projects.map((project) => project.name).join(', '), WORDS_MAX);
      return `There's no project “${typedLine(refusal.name, NAME_MAX)}”. Available: ${available}.`;
    }
    case 'two_projects':
      return `Which project? The request begins with project=${typedLine(refusal.named, NAME_MAX)}, but the step's project is ${typedLine(refusal.chosen, NAME_MAX)}.`;
    case 'no_channel':
      return 'The step needs a channel.';
    case 'not_readable':
      return `The step's input “${refusal.input}” can't be read.`;
    case 'not_allowed':
      return refusal.person === null
        ? "Workflows can't start jobs in that channel. Ask an administrator of docs-agent."
        : `The person who started the workflow can't use docs-agent in that channel: ${NOT_ALLOWED[refusal.person]}. Ask an administrator of docs-agent.`;
  }
}

export function stepErrorText(problem: StepProblem, thread: string | null, names: Names): string {
  const see = thread === null ? '' : ` See ${thread}.`;
  switch (problem.kind) {
    case 'not_posted': {
      const { reason } = problem;
      if (isNotInChannel(reason)) {
        return "docs-agent isn't in that channel. Invite it with /invite @docs-agent.";
      }
      if (reason === NOT_SEEN) {
        return "Slack didn't confirm whether the card was posted in that channel. If it's there, ignore it.";
      }
      return `docs-agent couldn't post in that channel: ${whyRefused(reason)}.`;
    }
    case 'draft_unseen':
      return "Slack didn't confirm whether the draft was posted in that channel. If it's there, it can still be started.";
    case 'refused':
      return problem.words.trim() === ''
        ? "The agent didn't accept the request, and gave no reason."
        : `The agent didn't accept the request. It says: ${typedLine(problem.words, WORDS_MAX)}`;
    case 'dropped': {
      if (problem.why === 'expired') return 'The draft expired after 7 days.';
      const name = names.get(problem.byUserId ?? '');
      const by = name === undefined ? labels.somebody : typedLine(name, NAME_MAX);
      return problem.why === 'dismissed' ? `Dismissed by ${by}.` : `Withdrawn by ${by}.`;
    }
    case 'failed':
      return problem.reason === undefined
        ? 'The job failed; the agent gave no reason.'
        : `The job failed. The agent says: ${typedLine(problem.reason, WORDS_MAX)}`;
    case 'stopped':
      return 'Somebody stopped the job before there was a pull request.';
    case 'vanished':
      return 'The agent no longer knows the job.';
    case 'archived':
      return 'The job was archived before there was a pull request.';
    case 'unclear':
      return `Nobody could confirm the start.${see}`;
    case 'unwatched':
      return `Somebody stopped watching the job. The agent may still be working.${see}`;
  }
}
