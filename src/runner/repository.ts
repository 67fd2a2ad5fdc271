import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { type Change, isSymlink, mayCommit, parseChanges, restoring } from './changes.ts';
import { TurnFailedError } from './failures.ts';
import { AUTHOR, Git, gitFailed, type RemoteSettings, SAID_MAX } from './git.ts';
import { oneLine } from './words.ts';

const NOT_UTF8 = 'The name of a changed file is not valid UTF-8.';
const NO_COMMIT = /^error: '(.+)\/' does not have a commit checked out$/;
/** Refs of the runner, by the number of a turn: its commit, the edits of a stopped one, the agent's own commits. */
const REFS = 'refs/docs-agent';

export interface NewCommit {
  readonly tree: string;
  readonly parent: string;
  readonly message: string;
}

/** What a turn has changed. */
export interface Contents {
  /** For a commit; null: all changes are left out. */
  readonly tree: string | null;
  /** Files whose changes may not be committed. */
  readonly leftOut: readonly string[];
}

/** Two lines of work in one tree. */
export interface Merged {
  readonly tree: string;
  /** Files in which both have changed the same; they hold conflict markers. */
  readonly conflicts: readonly string[];
}

/**
 * A bare clone of a repository, and the work trees of its jobs. An agent never sees the clone's settings: its work
 * tree has a git directory of its own, which is made anew for each turn and whose settings and hooks the commands
 * here never read. What git refuses is thrown as TurnFailedError.
 */
export class Repository {
  readonly #git: Git;
  readonly #remote: RemoteSettings;
  /** Two fetches at once would fight for the same locks. */
  #fetching: Promise<unknown> = Promise.resolve();

  /** @param directory of the bare clone; made at the first fetch */
  constructor(directory: string, remote: RemoteSettings) {
    this.#git = new Git(directory, remote);
    this.#remote = remote;
  }

  /** Removes what a killed git has left behind. */
  async unlock(): Promise<void> {
    const files = await readdir(this.#git.bare, { recursive: true }).catch(() => []);
    const left = files.filter((file) => file.endsWith('.lock') || file.startsWith('index-'));
    await Promise.all(left.map((file) => rm(join(this.#git.bare, file))));
  }

  /** Fetches the branch to start from and those of jobs. Returns the name of the first. */
  async fetch(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const fetched = this.#fetching.then(() => this.#fetch(signal));
    this.#fetching = fetched.catch(() => {});
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    return Promise.race([fetched, stopped]).finally(() => signal.removeEventListener('abort', stop));
  }

  async #fetch(remoteSignal: AbortSignal): Promise<string> {
    remoteSignal.throwIfAborted();
    await mkdir(this.#git.bare, { recursive: true });
    await this.#git.print(['init', '--quiet', '--bare', this.#git.bare]);
    await this.#resetSettings();
    const branch = this.#remote.branch ?? (await this.#remoteHead(remoteSignal));
    const specs = [branch, 'docs-agent/*'].map((name) => `+refs/heads/${name}:refs/remotes/origin/${name}`);
    const options = ['--quiet', '--prune', '--no-tags', '--no-recurse-submodules', '--no-auto-gc'];
    await this.#git.print(['fetch', ...options, '--', this.#remote.address, ...specs], { remoteSignal });
    return branch;
  }

  /** The commit of a branch as last fetched; null: there is none. */
  remoteTip(branch: string): Promise<string | null> {
    return this.#resolve(`refs/remotes/origin/${branch}`);
  }

  /** The commit of a job's branch here; null: there is none. */
  localTip(branch: string): Promise<string | null> {
    return this.#resolve(`refs/heads/${branch}`);
  }

  /** The commit that the turn has made; null: none. */
  commitOfTurn(turn: number): Promise<string | null> {
    return this.#resolve(`${REFS}/turns/${turn}`);
  }

  isAncestor(older: string, newer: string): Promise<boolean> {
    return this.#git.succeeds(['merge-base', '--is-ancestor', older, newer]);
  }

  /** Whether one of the files still holds a conflict marker. */
  async hasMarkers(tree: string, files: readonly string[]): Promise<boolean> {
    return (
      files.length > 0 &&
      (await this.#git.succeeds(['grep', '--quiet', '^[<>]\\{7\\} ', tree, '--', ...files]))
    );
  }

  messageOf(commit: string): Promise<string> {
    return this.#git.print(['show', '--no-patch', '--format=%B', commit]);
  }

  /**
   * Puts the work tree on the branch at the commit, with a new git directory.
   * @param tree of the files, if it is not the commit's
   */
  async checkOut(directory: string, branch: string, commit: string, tree = commit): Promise<void> {
    await removeTree(directory);
    await mkdir(directory, { recursive: true });
    await this.#git.print(['init', '--quiet', `--initial-branch=${branch}`, directory]);
    const alternates = join(directory, '.git', 'objects', 'info', 'alternates');
    await writeFile(alternates, `${join(this.#git.bare, 'objects')}\n`);
    const inside = (...args: readonly string[]) => this.#git.print(['-C', directory, ...args]);
    for (const [key, value] of Object.entries(AUTHOR)) await inside('config', `user.${key}`, value);
    await inside('update-ref', `refs/heads/${branch}`, commit);
    await inside('read-tree', '-u', '--reset', tree);
    if (tree !== commit) await inside('reset', '--quiet', '--mixed');
  }

  /**
   * What the work tree holds besides what may not be committed, and what the agent has committed by itself; null:
   * nothing has changed since `base`.
   */
  async contentsOf(
    turn: number,
    directory: string,
    base: string,
    patterns: readonly string[],
  ): Promise<Contents | null> {
    const env = { GIT_INDEX_FILE: join(this.#git.bare, `index-${turn}`) };
    const inTree = (args: readonly string[], input?: string) =>
      this.#git.print([`--work-tree=${directory}`, ...args], { input, env });
    await this.#resetSettings();
    try {
      await inTree(['read-tree', base]);
      const { stderr } = await this.#git.run(
        [`--work-tree=${directory}`, 'add', '--all', '--ignore-errors', '--', '.'],
        { env },
      );
      const leftOut = [];
      for (const line of stderr.split('\n').filter((each) => /^(?:error|fatal):/.test(each))) {
        const nested = NO_COMMIT.exec(line)?.[1];
        if (nested === undefined) throw gitFailed(line);
        leftOut.push(nested);
      }
      const tree = await inTree(['write-tree']);
      await inTree(['read-tree', await this.#withOwnCommits(turn, directory, base, tree)]);
      const diff = await inTree(['diff-index', '--cached', '--raw', '-z', '--no-renames', base]);
      const changes = parseChanges(diff);
      // Such a name could not be put back.
      if (changes.some(({ path }) => path.includes('\uFFFD'))) throw new TurnFailedError(NOT_UTF8);
      const untouched = await this.#untouched(directory, changes);
      const touched = changes.filter((change) => !untouched.has(change));
      const allowed = await Promise.all(touched.map((change) => this.#isAllowed(change, patterns)));
      const refused = touched.filter((_, at) => !allowed[at]);
      leftOut.push(...refused.map(({ path }) => path));
      const restored = [...untouched, ...refused];
      if (restored.length > 0) await inTree(['update-index', '-z', '--index-info'], restoring(restored));
      const isLeft = changes.length > restored.length;
      if (!isLeft && leftOut.length === 0) return null;
      return { tree: isLeft ? await inTree(['write-tree']) : null, leftOut };
    } finally {
      await rm(env.GIT_INDEX_FILE, { force: true });
    }
  }

  /** Changes only of line ends, which git makes by the repository's attributes: the files are as they were. */
  async #untouched(directory: string, changes: readonly Change[]): Promise<ReadonlySet<Change>> {
    const same = changes.filter(
      ({ path, before, after }) => before?.mode === after?.mode && !path.includes('\n'),
    );
    const files = same.filter((change) => !isSymlink(change) && change.after?.mode.startsWith('100'));
    if (files.length === 0) return new Set();
    const paths = files.map(({ path }) => `${join(directory, path)}\n`).join('');
    const { exitCode, stdout } = await this.#git.run(['hash-object', '--no-filters', '--stdin-paths'], {
      input: paths,
    });
    const hashes = exitCode === 0 ? stdout.split('\n') : [];
    return new Set(files.filter(({ before }, at) => before?.object === hashes[at]));
  }

  /**
   * The tree with what the agent has committed by itself on a branch that it then left: the newest one, unless it
   * conflicts with the work tree.
   */
  async #withOwnCommits(turn: number, directory: string, base: string, tree: string): Promise<string> {
    const ofAgent = `--git-dir=${join(directory, '.git')}`;
    const listing = ['for-each-ref', '--sort=-committerdate', '--format=%(objectname)', 'refs/heads'];
    const [branches, head] = await Promise.all([
      this.#git.run([ofAgent, ...listing]),
      this.#git.run([ofAgent, 'rev-parse', '--verify', '--quiet', 'HEAD']),
    ]);
    const own = branches.exitCode === 0 ? branches.stdout.split('\n') : [];
    const newest = own.find((commit) => commit !== '' && commit !== base);
    if (newest === undefined || newest === head.stdout) return tree;
    const ref = `${REFS}/agents/${turn}`;
    const fetch = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', directory];
    if (!(await this.#git.succeeds([...fetch, `+${newest}:${ref}/newest`, `+HEAD:${ref}/head`]))) return tree;
    if (await this.isAncestor(newest, head.stdout)) return tree;
    const worked = await this.#git.print(['commit-tree', tree, '-p', base, '-m', 'The work tree']);
    const merged = await this.merge(newest, worked).catch(() => null);
    return merged?.conflicts.length === 0 ? merged.tree : tree;
  }

  /** Pushes the commit. Returns false if somebody has pushed meanwhile. Throws TurnFailedError. */
  async push(branch: string, commit: string, remoteSignal: AbortSignal): Promise<boolean> {
    const push = ['push', '--porcelain', '--', this.#remote.address, `${commit}:refs/heads/${branch}`];
    const { exitCode, stdout, stderr } = await this.#git.run(push, { remoteSignal });
    if (exitCode === 0) return true;
    if (/^!.*\[rejected\]/m.test(stdout)) return false;
    const refused = /^!.*\[remote rejected\] \((.*)\)/m.exec(stdout)?.[1];
    if (refused === undefined) throw gitFailed(stderr);
    throw new TurnFailedError(`The repository refused the push: ${oneLine(refused, SAID_MAX)}.`);
  }

  /** Puts the work of a commit on top of another one. */
  async merge(onto: string, commit: string): Promise<Merged> {
    const merge = ['merge-tree', '--write-tree', '-z', '--name-only', onto, commit];
    const { exitCode, stdout, stderr } = await this.#git.run(merge);
    if (exitCode > 1) throw gitFailed(stderr);
    const [tree = '', ...files] = stdout.split('\0');
    return { tree, conflicts: exitCode === 0 ? [] : files.slice(0, files.indexOf('')) };
  }

  /** Makes the turn's one commit, in place of an earlier one. */
  async commit(turn: number, branch: string, commit: NewCommit): Promise<string> {
    // From here on, the turn has its commit, whatever happens to this process.
    const made = await this.#commit(`${REFS}/turns/${turn}`, commit);
    await this.#git.print(['update-ref', `refs/heads/${branch}`, made]);
    return made;
  }

  /** Makes a commit of the edits of a turn that was stopped. */
  keep(turn: number, tree: string, parent: string): Promise<string> {
    return this.#commit(`${REFS}/kept/${turn}`, { tree, parent, message: 'Edits of a stopped turn' });
  }

  async #commit(ref: string, { tree, parent, message }: NewCommit): Promise<string> {
    const commit = await this.#git.print(['commit-tree', tree, '-p', parent, '-F', '-'], { input: message });
    await this.#git.print(['update-ref', ref, commit]);
    return commit;
  }

  /** An agent of the same user may have found the clone, and settings may name commands. */
  async #resetSettings(): Promise<void> {
    const path = join(this.#git.bare, 'config');
    const fresh = `${path}-${process.hrtime.bigint()}.lock`;
    await writeFile(fresh, '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
    await rename(fresh, path);
  }

  async #isAllowed(change: Change, patterns: readonly string[]): Promise<boolean> {
    const target = isSymlink(change)
      ? await this.#git.print(['cat-file', 'blob', change.after?.object ?? ''])
      : null;
    return mayCommit(change, patterns, target);
  }

  async #resolve(ref: string): Promise<string | null> {
    const { exitCode, stdout } = await this.#git.run(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]);
    return exitCode === 0 ? stdout : null;
  }

  async #remoteHead(remoteSignal: AbortSignal): Promise<string> {
    const args = ['ls-remote', '--symref', '--', this.#remote.address, 'HEAD'];
    const said = await this.#git.print(args, { remoteSignal });
    const branch = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(said)?.[1];
    if (branch === undefined)
      throw new TurnFailedError('The repository has no default branch: set RUNNER_BRANCH.');
    return branch;
  }
}

/** Removes a folder, also one in which an agent has locked others. */
export async function removeTree(directory: string): Promise<void> {
  const remove = () => rm(directory, { recursive: true, force: true });
  await remove().catch(async () => {
    await execa('chmod', ['-R', 'u+rwX', directory], { reject: false });
    await remove();
  });
}
