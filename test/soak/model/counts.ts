import type { Report } from '../../../src/jobs/report/report.ts';
import type { Source } from '../../../src/jobs/report/source.ts';
import type { StoryPlan } from '../plan.ts';
import type { AgentJobEnd, StoryEvidence } from './evidence.ts';
import { linksOf, ofKind } from './posts.ts';

/** What of `docs-agent report` is to be seen from outside, too. */
export interface Counts {
  readonly starts: number;
  readonly bySource: Readonly<Record<string, number>>;
  readonly withPullRequest: number;
  readonly done: number;
  readonly failed: number;
  readonly unclear: number;
  readonly open: number;
  readonly pullRequests: number;
}

const SOURCES: Readonly<Record<StoryPlan['way'], Source>> = {
  command: 'command',
  mention: 'mention',
  direct: 'direct_message',
  form: 'form',
  // In a thread of other people, by a mention.
  thread: 'mention',
  mark: 'reaction',
  webhook: 'webhook',
  workflow: 'workflow',
};

/** Counted by hand: what arrived at the agent API, how its jobs ended there, and what the threads say. */
export function countByHand(stories: readonly StoryEvidence[], plans: readonly StoryPlan[]): Counts {
  const wayOf = new Map(plans.map(({ number, way }) => [number, way]));
  const started = stories.filter(({ cards }) => cards.length > 0);
  const creates = started.flatMap(createsOf);
  const sources = started.map(({ asked }) => SOURCES[wayOf.get(asked.story) ?? 'command']);
  const again: Source[] = Array.from({ length: creates.length - started.length }, () => 'again');
  const accepted = creates.flatMap(({ isKnown, end }) => (isKnown && end ? [end] : []));
  const ended = (what: (end: AgentJobEnd) => boolean) => accepted.filter(what).length;
  return {
    starts: creates.length,
    bySource: countsOf([...sources, ...again]),
    withPullRequest: ended(({ status, prLink }) => status === 'completed' && prLink !== null),
    done: ended(({ status, prLink }) => status === 'completed' && prLink === null),
    failed: ended(({ status }) => status === 'failed'),
    unclear: creates.filter(({ isKnown }) => !isKnown).length,
    open: ended(({ status }) => status === 'active'),
    pullRequests: new Set(started.flatMap(({ posts }) => linksOf(ofKind(posts, 'link')))).size,
  };
}

/**
 * Those that the agent API may have taken. A program that was frozen has missed answers, and its thread says so: then
 * the later ones are those that it knows of.
 */
function createsOf({ creates, posts, agentJobs }: StoryEvidence) {
  const made = creates.filter(({ answer }) => answer !== 'refused');
  const unclear = ofKind(posts, 'create_unknown').length;
  const accepted = made.filter(({ answer }) => answer === 'accepted');
  const known = accepted.slice(Math.max(accepted.length - Math.max(made.length - unclear, 0), 0));
  return made.map((create) => ({
    isKnown: known.includes(create),
    end: agentJobs.get(create.agentJobId ?? '') ?? null,
  }));
}

/** The same as the program reports it. */
export function reportedCounts({ starts, ends, unclear, open, pull_requests: links }: Report): Counts {
  return {
    starts: starts.total,
    bySource: Object.fromEntries(Object.entries(starts.by_source).filter(([, count]) => count > 0)),
    withPullRequest: ends.pull_request,
    done: ends.done,
    failed: ends.failed,
    unclear: unclear.starts,
    open,
    pullRequests: links.open + links.merged + links.closed + links.unknown,
  };
}

function countsOf(names: readonly string[]): Record<string, number> {
  const groups = [...Map.groupBy(names, (name) => name)];
  return Object.fromEntries(groups.map(([name, group]) => [name, group.length]));
}
