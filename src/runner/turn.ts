import { isDiskFull } from '#store/engines/database.ts';
import { type AgentOptions, type AgentTurn, runAgent } from './agent.ts';
import { reasonOf, STOPPED_BY_CALLER, TurnFailedError, TurnStoppedError } from './failures.ts';
import type { PullRequests } from './pull-requests.ts';
import type { Merged, NewCommit, Repository } from './repository.ts';
import type { RunnerProject, RunnerSettings } from './settings.ts';
import type { Job, RunnerStore, Turn, TurnEnd } from './store.ts';
import {
  branchOf,
  commitMessage,
  conflictPrompt,
  firstPrompt,
  leftOutPrompt,
  pullRequestBody,
  subjectOf,
  summaryIn,
  summaryOf,
} from './words.ts';

const PUSHES_MAX = 5;

export interface TurnOptions
  extends Pick<RunnerSettings & RunnerProject, 'paths' | 'instructions'>,
    Pick<AgentTurn, 'worktree' | 'transcript' | 'signal' | 'onActivity'> {
  readonly job: Job;
  readonly turn: Turn;
  readonly store: RunnerStore;
  readonly repository: Repository;
  /** Null: only pushes. */
  readonly pullRequests: PullRequests | null;
  readonly agent: AgentOptions;
}

type TurnRun = TurnOptions & Pick<AgentTurn, 'onSession'>;

interface Start {
  readonly branch: string;
  readonly target: string;
  /** The turn starts from its files. */
  readonly base: string;
  /** Parent of the turn's commit, which replaces unpushed ones: the host may have refused them. */
  readonly parent: string;
  readonly kept: string | null;
  /** Earlier work has no pull request yet. */
  readonly isOwed: boolean;
}

/** Continues after a crash, repeating nothing. Throws TurnStoppedError only when the runner stops. */
export async function runTurn(options: TurnOptions): Promise<TurnEnd> {
  const { job, turn, repository } = options;
  let { sessionId } = job;
  const onSession = (id: string) => {
    sessionId = id;
  };
  const run = { ...options, onSession };
  let start: Start | null = null;
  let made: string | null = null;
  let summary: string | null = null;
  try {
    // A killed runner may have committed the turn.
    [made = null] = await repository.tips(['turn', `${turn.number}`]);
    if (made !== null) summary = summaryIn(await repository.messageOf(made));
    let begun = await begin(run, made);
    if (made === null && !('link' in begun)) {
      start = begun;
      ({ commit: made, summary } = await work(run, start));
      // Its pull request may be over.
      if (made !== null) begun = await begin(run, made);
    }
    if ('link' in begun) return { ...COMPLETED, summary, sessionId, prLink: begun.link };
    start = begun;
    if (made === null && !start.isOwed) return { ...COMPLETED, summary, sessionId, prLink: null };
    run.onActivity('Pushing the branch');
    await publish(run, start, made ?? start.base);
    return { ...COMPLETED, summary, sessionId, prLink: await pullRequestOf(run, start, summary) };
  } catch (thrown) {
    // After a stop, other errors are its consequences.
    const error: unknown = run.signal.aborted ? run.signal.reason : thrown;
    // The next turn carries on from this commit.
    if (error instanceof TurnFailedError || isDiskFull(error))
      return { ...failed(reasonOf(error)), summary, ...(made !== null && { kept: made }) };
    if (!(error instanceof TurnStoppedError) || error.by === 'runner') throw error;
    // If its files can't be kept, earlier edits still can.
    const kept = start === null ? job.kept : await leftBy(run, start).catch(() => job.kept);
    return error.by === 'caller'
      ? { outcome: 'completed', reason: STOPPED_BY_CALLER, summary: null, kept, sessionId }
      : { ...failed('The agent took longer than a turn may take.'), kept, sessionId };
  }
}

const COMPLETED = { outcome: 'completed', reason: null, kept: null } as const;

/** Drops the session, which remembers lost edits. */
export function failed(reason: string): TurnEnd {
  return { outcome: 'failed', reason, summary: null, prLink: null, sessionId: null };
}

/** Never reuses a branch whose pull request is merged or closed. */
async function begin(
  { job, repository, pullRequests, store, signal }: TurnRun,
  made: string | null,
): Promise<Start | { readonly link: string }> {
  const target = await repository.fetch(signal);
  const branch = branchOf(job.prompt, job.id, job.round);
  const [fresh = null, remote = null, local = null] = await repository.tips(
    ['remote', target],
    ['remote', branch],
    ['local', branch],
  );
  if (fresh === null) throw new TurnFailedError(`The repository has no branch ${target}.`);
  const isUsed = remote !== null || local !== null;
  const opened = isUsed && pullRequests !== null ? await pullRequests.find(branch, signal) : null;
  const isIn = async (commit: string | null, tip: string | null) =>
    commit !== null && tip !== null && repository.isAncestor(commit, tip);
  if (opened !== null && !opened.isOpen) {
    if (await isIn(made, remote)) return { link: opened.url };
    const round = job.round + 1;
    const kept = (await isIn(job.kept, remote)) ? null : job.kept;
    await store.change(job.id, { round, kept });
    const next = branchOf(job.prompt, job.id, round);
    return { branch: next, target, base: fresh, parent: fresh, kept, isOwed: false };
  }
  const parent = remote ?? fresh;
  // An unpushed commit counts, unless others continued without it.
  const isAhead = local !== null && local !== parent && (remote === null || (await isIn(remote, local)));
  const isOpenOwed = pullRequests !== null && opened === null && remote !== null;
  const isOwed = isAhead || (isOpenOwed && !(await isIn(remote, fresh)));
  return { branch, target, base: isAhead ? local : parent, parent, kept: job.kept, isOwed };
}

/** `commit` null: nothing changed. */
async function work(run: TurnRun, { branch, base, parent, kept }: Start) {
  const { turn, repository, worktree } = run;
  const { tree: startTree, conflicts, isOfLines } = await startOf(run, base, kept);
  const about = isOfLines ? conflictPrompt : leftOutPrompt;
  await repository.checkOut(turn.number, worktree, branch, base, startTree);
  const known = [...(conflicts.length === 0 ? [] : [about(conflicts)]), turn.prompt].join('\n\n');
  const fresh = firstPrompt(known, run.instructions, await run.store.earlierTurns(turn));
  const words = await askAgent(run, { known, fresh }, turn.images);
  const { tree, leftOut } = await repository.contentsOf(turn.number, worktree, base, run.paths);
  const summary = summaryOf(words, leftOut);
  if (tree === null) return { commit: null, summary };
  if (await repository.hasMarkers(tree, conflicts)) throw new TurnFailedError(CONFLICT);
  const message = commitMessage(turn.prompt, summary);
  return { commit: await commitTurn(run, branch, { tree, parent, message }), summary };
}

/** Replaces the turn's earlier commit. */
function commitTurn({ repository, turn }: TurnRun, branch: string, commit: NewCommit): Promise<string> {
  return repository.commit(commit, ['turn', `${turn.number}`], ['local', branch]);
}

/** The base with the edits of a stopped turn. */
async function startOf({ repository }: TurnRun, base: string, kept: string | null): Promise<Merged> {
  if (kept === null) return { tree: base, conflicts: [], isOfLines: true };
  const merged = await repository.pick(base, kept);
  return merged.isOfLines ? merged : { ...merged, tree: base };
}

/** Null: no edits. */
async function leftBy(run: TurnRun, { base, kept }: Start): Promise<string | null> {
  const { turn, repository, worktree, job } = run;
  const [made] = await repository.tips(['turn', `${turn.number}`]);
  if (made) return made;
  const { conflicts } = await startOf(run, base, kept);
  const { tree } = await repository.contentsOf(turn.number, worktree, base, []);
  if (tree === null) return null;
  // The next turn must resolve these conflicts.
  if (await repository.hasMarkers(tree, conflicts)) return job.kept;
  const message = 'Edits of a stopped turn';
  return repository.commit({ tree, parent: base, message }, ['kept', `${turn.number}`]);
}

function askAgent(run: TurnRun, prompt: AgentTurn['prompt'], images: Turn['images']): Promise<string> {
  // After a crash, the session remembers lost edits.
  const sessionId = run.turn.attempts === 1 ? run.job.sessionId : null;
  return runAgent(run.agent, { ...run, images: JSON.parse(images ?? '[]'), prompt, sessionId });
}

/** Rebases onto others' pushes. The agent resolves one conflict. */
async function publish(run: TurnRun, { branch, base, parent }: Start, commit: string): Promise<void> {
  const { repository, signal } = run;
  let own = commit;
  let isAsked = false;
  const rebase = async (tip: string) => {
    const merged = await repository.pick(tip, own);
    const isConflict = merged.conflicts.length > 0;
    if (isConflict && (isAsked || !merged.isOfLines)) throw new TurnFailedError(CONFLICT);
    isAsked ||= isConflict;
    const tree = isConflict ? await resolve(run, branch, tip, merged) : merged.tree;
    const message = await repository.messageOf(own);
    own = await commitTurn(run, branch, { tree, parent: tip, message });
  };
  if (commit !== base && (await repository.parentOf(commit)) !== parent) await rebase(parent);
  for (let pushes = 0; pushes < PUSHES_MAX; pushes += 1) {
    if (await repository.push(branch, own, signal)) return;
    await repository.fetch(signal);
    const [tip] = await repository.tips(['remote', branch]);
    if (tip) await rebase(tip);
  }
  throw new TurnFailedError('Others kept pushing to the branch, so the changes could not be pushed.');
}

async function resolve(run: TurnRun, branch: string, base: string, merged: Merged): Promise<string> {
  const { turn, repository, worktree, paths } = run;
  await repository.checkOut(turn.number, worktree, branch, base, merged.tree);
  const prompt = conflictPrompt(merged.conflicts);
  await askAgent(run, { known: prompt, fresh: prompt }, null);
  const { tree } = await repository.contentsOf(turn.number, worktree, base, paths);
  if (tree === null || (await repository.hasMarkers(tree, merged.conflicts)))
    throw new TurnFailedError(CONFLICT);
  return tree;
}

const CONFLICT = 'Somebody has changed the same lines on the branch, and the conflict could not be resolved.';

async function pullRequestOf(run: TurnRun, { branch, target }: Start, summary: string | null) {
  const { pullRequests, job, signal } = run;
  if (pullRequests === null) return null;
  const present = await pullRequests.find(branch, signal);
  if (present?.isOpen) return present.url;
  const body = pullRequestBody(job.prompt, summary);
  try {
    return (await pullRequests.open(branch, target, subjectOf(job.prompt), body, signal)).url;
  } catch (error) {
    // The answer may be lost.
    const made = await pullRequests.find(branch, signal).catch(() => null);
    if (made?.isOpen) return made.url;
    throw error;
  }
}
