import { type AgentOptions, runAgent } from './agent.ts';
import { TurnFailedError, TurnStoppedError } from './failures.ts';
import type { Repository } from './git.ts';
import type { PullRequests } from './pull-requests.ts';
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

/** Where a turn works. */
interface Start {
  readonly branch: string;
  /** Where it is to be merged into. */
  readonly target: string;
  /** The commit that it starts from. */
  readonly base: string;
  /** The pull request of the branch, if it has one that is open. */
  readonly link: string | null;
}

/**
 * Runs one turn to its end: work tree, agent, commit, push, pull request. Whatever was done before the process died is
 * found again, and not done twice. Throws TurnStoppedError only for a stop of the runner.
 */
export async function runTurn(tools: TurnTools, turn: Turn, place: TurnPlace): Promise<TurnEnd> {
  const { store } = tools;
  const job = await store.transaction((tx) => tx.job(turn.job_id));
  if (job === null) throw new Error(`there is no job ${turn.job_id}`);
  try {
    const start = await begin(tools, job);
    const made = await tools.repository.commitOfTurn(turn.number);
    const worked = made === null ? await work(tools, { job, turn, start }, place) : await found(tools, made);
    const end = { outcome: 'completed', reason: null, summary: worked.summary, keeps_edits: 0 } as const;
    if (worked.commit === null) return { ...end, pr_link: null, branch_pr_link: start.link };
    place.onActivity('Pushing the branch');
    await publish(tools, { job, turn, start, commit: worked.commit }, place);
    const link = await pullRequestOf(tools, job, start, worked.summary);
    return { ...end, pr_link: link, branch_pr_link: link };
  } catch (error) {
    if (error instanceof TurnStoppedError) {
      if (error.by === 'runner') throw error;
      return error.by === 'caller'
        ? { outcome: 'completed', reason: 'Stopped by a caller of the API.', summary: null, keeps_edits: 1 }
        : { ...failed('The agent took longer than a turn may take.'), keeps_edits: 1 };
    }
    if (error instanceof TurnFailedError) return failed(error.message);
    throw error;
  }
}

/** The end of a turn that came to nothing. */
export function failed(reason: string): TurnEnd {
  return { outcome: 'failed', reason, summary: null, pr_link: null, keeps_edits: 0 };
}

/** Finds the branch and the commit to start from: a branch whose pull request is over is not used again. */
async function begin({ repository, pullRequests, store }: TurnTools, job: Job): Promise<Start> {
  const target = await repository.fetch();
  const fresh = await repository.remoteTip(target);
  if (fresh === null) throw new TurnFailedError(`The repository has no branch ${target}.`);
  const current = branchOf(job.prompt, job.id, job.round);
  const opened =
    job.branch_pr_link === null || pullRequests === null ? null : await pullRequests.find(current);
  if (opened !== null && !opened.isOpen) {
    const round = job.round + 1;
    await store.transaction((tx) => tx.change(job.id, { round, branch_pr_link: null }));
    return { branch: branchOf(job.prompt, job.id, round), target, base: fresh, link: null };
  }
  const [remote, local] = await Promise.all([repository.remoteTip(current), repository.localTip(current)]);
  // A commit that could not be pushed yet counts, unless others have gone on without it.
  const isAhead = local !== null && (remote === null || (await repository.isAncestor(remote, local)));
  const base = isAhead ? local : (remote ?? fresh);
  return { branch: current, target, base, link: opened?.url ?? job.branch_pr_link };
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

interface Doing {
  readonly job: Job;
  readonly turn: Turn;
  readonly start: Start;
}

async function work(tools: TurnTools, { job, turn, start }: Doing, place: TurnPlace): Promise<Worked> {
  const { repository, store, paths } = tools;
  const { branch, base } = start;
  await repository.checkOut(place.worktree, branch, base, job.keeps_edits === 1 && turn.attempts === 1);
  const earlier = await store.transaction((tx) => tx.earlierTurns(turn));
  const fresh = firstPrompt(turn.prompt, tools.instructions, earlier);
  const words = await askAgent(tools, { job, turn, prompt: { known: turn.prompt, fresh } }, place);
  const contents = await repository.contentsOf(place.worktree, base, paths);
  const summary = summaryOf(words, contents?.leftOut ?? []);
  const tree = contents?.tree ?? null;
  if (tree === null) return { commit: null, summary };
  const message = commitMessage(turn.prompt, summary);
  return { commit: await repository.commit(turn.number, branch, { tree, parent: base, message }), summary };
}

/** Returns the agent's closing words. */
function askAgent(
  { agent, store }: TurnTools,
  { job, turn, prompt }: Pick<Doing, 'job' | 'turn'> & { readonly prompt: { known: string; fresh: string } },
  { worktree: directory, transcript, signal, onActivity }: TurnPlace,
): Promise<string> {
  const images: Image[] = turn.images === null ? [] : JSON.parse(turn.images);
  const onSession = (session_id: string) => store.transaction((tx) => tx.change(job.id, { session_id }));
  const sessionId = job.session_id;
  return runAgent(agent, {
    ...{ directory, transcript, signal, onActivity, prompt, images, sessionId, onSession },
  });
}

/** Pushes the commit, on top of what others have pushed meanwhile. A conflict goes to the agent, once. */
async function publish(
  tools: TurnTools,
  { job, turn, start, commit }: Doing & { readonly commit: string },
  place: TurnPlace,
): Promise<void> {
  const { repository } = tools;
  const { branch } = start;
  let own = commit;
  let isAsked = false;
  for (let pushes = 0; pushes < PUSHES_MAX; pushes += 1) {
    if (await repository.push(branch, own)) return;
    await repository.fetch();
    const theirs = await repository.remoteTip(branch);
    if (theirs === null) continue;
    const rebased = await repository.rebase(turn.number, branch, own, theirs);
    if ('commit' in rebased) {
      own = rebased.commit;
      continue;
    }
    if (isAsked) throw new TurnFailedError(CONFLICT);
    isAsked = true;
    await repository.checkOutTree(place.worktree, branch, theirs, rebased.tree);
    const prompt = conflictPrompt(rebased.conflicts);
    const asked = { job, turn: { ...turn, images: null }, prompt: { known: prompt, fresh: prompt } };
    await askAgent(tools, asked, place);
    const tree = (await repository.contentsOf(place.worktree, theirs, tools.paths))?.tree;
    if (!tree || (await repository.hasMarkers(tree, rebased.conflicts))) throw new TurnFailedError(CONFLICT);
    const message = await repository.messageOf(own);
    own = await repository.commit(turn.number, branch, { tree, parent: theirs, message });
  }
  throw new TurnFailedError('Others kept pushing to the branch, so the changes could not be pushed.');
}

const CONFLICT = 'Somebody has changed the same lines on the branch, and the conflict could not be resolved.';

/** Opens the branch's pull request, unless there is one. */
async function pullRequestOf(
  { pullRequests }: TurnTools,
  job: Job,
  { branch, target }: Start,
  summary: string | null,
): Promise<string | null> {
  if (pullRequests === null) return null;
  const found = await pullRequests.find(branch);
  if (found?.isOpen) return found.url;
  const title = subjectOf(job.prompt);
  const body = pullRequestBody(job.prompt, summary);
  return (await pullRequests.open({ branch, base: target, title, body })).url;
}
