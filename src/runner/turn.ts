import { type AgentOptions, runAgent } from './agent.ts';
import { STOPPED_BY_CALLER, TurnFailedError, TurnStoppedError } from './failures.ts';
import type { PullRequests } from './pull-requests.ts';
import type { Merged, Repository } from './repository.ts';
import type { Image, Job, RunnerStore, Turn, TurnEnd } from './store.ts';
import {
  branchOf,
  commitMessage,
  conflictPrompt,
  firstPrompt,
  pullRequestBody,
  subjectOf,
  summaryOf,
} from './words.ts';

/** Somebody pushes again and again, while the turn wants to. */
const PUSHES_MAX = 5;

export interface TurnTools {
  readonly store: RunnerStore;
  readonly repository: Repository;
  /** Null: the branch is pushed, and nothing opened. */
  readonly pullRequests: PullRequests | null;
  readonly agent: AgentOptions;
  /** Patterns of the files that may change; empty: all. */
  readonly paths: readonly string[];
  readonly instructions: string | null;
}

export interface TurnPlace {
  readonly worktree: string;
  readonly transcript: string;
  readonly signal: AbortSignal;
  readonly onActivity: (activity: string) => void;
}

/** Where an agent works. */
interface AgentPlace extends TurnPlace {
  readonly onSession: (sessionId: string) => void;
}

/** Where a turn works. */
interface Start {
  readonly branch: string;
  /** Where it is to be merged into. */
  readonly target: string;
  /** The commit that it starts from. */
  readonly base: string;
}

interface Doing {
  readonly job: Job;
  readonly turn: Turn;
  readonly start: Start;
}

/**
 * Runs one turn to its end: work tree, agent, commit, push, pull request. Whatever was done before the process died is
 * found again, and not done twice. Throws TurnStoppedError only for a stop of the runner.
 */
export async function runTurn(tools: TurnTools, turn: Turn, place: TurnPlace): Promise<TurnEnd> {
  const { store, repository } = tools;
  const job = await store.transaction((tx) => tx.job(turn.job_id));
  if (job === null) throw new Error(`there is no job ${turn.job_id}`);
  let doing: Doing | null = null;
  let session: Pick<TurnEnd, 'session_id'> = {};
  const onSession = (session_id: string) => {
    session = { session_id };
  };
  try {
    doing = { job, turn, start: await begin(tools, job, place.signal) };
    const made = await repository.commitOfTurn(turn.number);
    const worked =
      made === null ? await work(tools, doing, { ...place, onSession }) : await found(tools, made);
    const end = {
      outcome: 'completed',
      reason: null,
      summary: worked.summary,
      kept: null,
      ...session,
    } as const;
    if (worked.commit === null) return { ...end, pr_link: null };
    place.onActivity('Pushing the branch');
    await publish(tools, { ...doing, commit: worked.commit }, { ...place, onSession });
    return { ...end, pr_link: await pullRequestOf(tools, doing, worked.summary, place.signal) };
  } catch (error) {
    if (error instanceof TurnFailedError) return failed(error.message);
    if (!(error instanceof TurnStoppedError) || error.by === 'runner') throw error;
    const kept = doing === null ? job.kept : await leftBy(tools, doing, place);
    return error.by === 'caller'
      ? { outcome: 'completed', reason: STOPPED_BY_CALLER, summary: null, kept, ...session }
      : { ...failed('The agent took longer than a turn may take.'), kept, ...session };
  }
}

/** The end of a turn that came to nothing. */
export function failed(reason: string): TurnEnd {
  return { outcome: 'failed', reason, summary: null, pr_link: null };
}

/** Finds the branch and the commit to start from: a branch whose pull request is over is not used again. */
async function begin(
  { repository, pullRequests, store }: TurnTools,
  job: Job,
  signal: AbortSignal,
): Promise<Start> {
  const target = await repository.fetch(signal);
  const fresh = await repository.remoteTip(target);
  if (fresh === null) throw new TurnFailedError(`The repository has no branch ${target}.`);
  const branch = branchOf(job.prompt, job.id, job.round);
  const [remote, local] = await Promise.all([repository.remoteTip(branch), repository.localTip(branch)]);
  const isUsed = remote !== null || local !== null;
  const opened = isUsed && pullRequests !== null ? await pullRequests.find(branch, signal) : null;
  if (opened !== null && !opened.isOpen) {
    const round = job.round + 1;
    await store.transaction((tx) => tx.change(job.id, { round }));
    return { branch: branchOf(job.prompt, job.id, round), target, base: fresh };
  }
  // A commit that could not be pushed yet counts, unless others have gone on without it.
  const isAhead = local !== null && (remote === null || (await repository.isAncestor(remote, local)));
  return { branch, target, base: isAhead ? local : (remote ?? fresh) };
}

interface Worked {
  /** Null: nothing was changed. */
  readonly commit: string | null;
  readonly summary: string | null;
}

/** A turn that was committed before this process began. */
async function found({ repository }: TurnTools, commit: string): Promise<Worked> {
  const [, ...body] = (await repository.messageOf(commit)).split('\n');
  return { commit, summary: body.join('\n').trim() || null };
}

async function work(tools: TurnTools, { job, turn, start }: Doing, place: AgentPlace): Promise<Worked> {
  const { repository, store, paths } = tools;
  const { branch, base } = start;
  const { tree: startTree, conflicts } = await startOf(tools, job, start);
  await repository.checkOut(place.worktree, branch, base, startTree);
  const known = conflicts.length === 0 ? turn.prompt : `${conflictPrompt(conflicts)}\n\n${turn.prompt}`;
  const earlier = await store.transaction((tx) => tx.earlierTurns(turn));
  const fresh = firstPrompt(known, tools.instructions, earlier);
  const words = await askAgent(tools, { job, turn, prompt: { known, fresh } }, place);
  const contents = await repository.contentsOf(turn.number, place.worktree, base, paths);
  const summary = summaryOf(words, contents?.leftOut ?? []);
  const tree = contents?.tree ?? null;
  if (tree === null) return { commit: null, summary };
  if (await repository.hasMarkers(tree, conflicts)) throw new TurnFailedError(CONFLICT);
  const message = commitMessage(turn.prompt, summary);
  return { commit: await repository.commit(turn.number, branch, { tree, parent: base, message }), summary };
}

/** The files that the turn begins with: those of its base, and what a stopped turn has left. */
async function startOf({ repository }: TurnTools, { kept }: Job, { base }: Start): Promise<Merged> {
  return kept === null ? { tree: base, conflicts: [] } : repository.merge(base, kept);
}

/** The commit with what a stopped turn has done; null: nothing. */
async function leftBy(
  tools: TurnTools,
  { job, turn, start }: Doing,
  place: TurnPlace,
): Promise<string | null> {
  const { repository } = tools;
  const made = await repository.commitOfTurn(turn.number);
  if (made !== null) return made;
  const { tree: startTree, conflicts } = await startOf(tools, job, start);
  const contents = await repository.contentsOf(turn.number, place.worktree, start.base, []);
  const tree = contents?.tree ?? startTree;
  // Its next turn has to resolve what this one has not.
  if (await repository.hasMarkers(tree, conflicts)) return job.kept;
  return contents?.tree ? repository.keep(turn.number, tree, start.base) : null;
}

/** Returns the agent's closing words. */
function askAgent(
  { agent }: TurnTools,
  { job, turn, prompt }: Pick<Doing, 'job' | 'turn'> & { readonly prompt: { known: string; fresh: string } },
  { worktree: directory, transcript, signal, onActivity, onSession }: AgentPlace,
): Promise<string> {
  const images: Image[] = turn.images === null ? [] : JSON.parse(turn.images);
  // What a killed turn did is gone from the work tree, so its session is not gone on with.
  const sessionId = turn.attempts === 1 ? job.session_id : null;
  return runAgent(agent, {
    ...{ directory, transcript, signal, onActivity, prompt, images, sessionId, onSession },
  });
}

/** Pushes the commit, on top of what others have pushed meanwhile. A conflict goes to the agent, once. */
async function publish(
  tools: TurnTools,
  { job, turn, start, commit }: Doing & { readonly commit: string },
  place: AgentPlace,
): Promise<void> {
  const { repository } = tools;
  const { branch } = start;
  let own = commit;
  let isAsked = false;
  for (let pushes = 0; pushes < PUSHES_MAX; pushes += 1) {
    if (await repository.push(branch, own, place.signal)) return;
    await repository.fetch(place.signal);
    const theirs = await repository.remoteTip(branch);
    if (theirs === null) continue;
    const merged = await repository.merge(theirs, own);
    let { tree } = merged;
    if (merged.conflicts.length > 0) {
      if (isAsked) throw new TurnFailedError(CONFLICT);
      isAsked = true;
      tree = await resolve(tools, { job, turn, start: { ...start, base: theirs } }, merged, place);
    }
    const message = await repository.messageOf(own);
    own = await repository.commit(turn.number, branch, { tree, parent: theirs, message });
  }
  throw new TurnFailedError('Others kept pushing to the branch, so the changes could not be pushed.');
}

/** Has the agent resolve the conflicts. Returns the tree without them. */
async function resolve(
  tools: TurnTools,
  { job, turn, start: { branch, base } }: Doing,
  { tree: startTree, conflicts }: Merged,
  place: AgentPlace,
): Promise<string> {
  const { repository } = tools;
  await repository.checkOut(place.worktree, branch, base, startTree);
  const prompt = conflictPrompt(conflicts);
  const asked = { job, turn: { ...turn, images: null }, prompt: { known: prompt, fresh: prompt } };
  await askAgent(tools, asked, place);
  const tree = (await repository.contentsOf(turn.number, place.worktree, base, tools.paths))?.tree;
  if (!tree || (await repository.hasMarkers(tree, conflicts))) throw new TurnFailedError(CONFLICT);
  return tree;
}

const CONFLICT = 'Somebody has changed the same lines on the branch, and the conflict could not be resolved.';

/** Opens the branch's pull request, unless there is one. */
async function pullRequestOf(
  { pullRequests }: TurnTools,
  { job, start: { branch, target } }: Doing,
  summary: string | null,
  signal: AbortSignal,
): Promise<string | null> {
  if (pullRequests === null) return null;
  const present = await pullRequests.find(branch, signal);
  if (present?.isOpen) return present.url;
  const title = subjectOf(job.prompt);
  const body = pullRequestBody(job.prompt, summary);
  try {
    return (await pullRequests.open({ branch, base: target, title, body }, signal)).url;
  } catch (error) {
    // Its answer may have been lost.
    const made = await pullRequests.find(branch, signal).catch(() => null);
    if (made?.isOpen) return made.url;
    throw error;
  }
}
