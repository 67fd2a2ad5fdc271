import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { type Change, isSymlink, mayCommit, parseChanges, restoring } from './changes.ts';
import { TurnFailedError } from './failures.ts';
import { Git, gitFailed, type RemoteSettings, SAID_MAX } from './git.ts';
import { oneLine } from './words.ts';

const NOT_UTF8 = 'The name of a changed file is not valid UTF-8.';
const AUTHOR = '[user]\n\tname = docs-agent\n\temail = docs-agent@users.noreply.github.com\n';
/** Files are stored as the agent wrote them, whatever the repository's attributes say. */
const AS_IT_IS = '* -text -filter -ident -working-tree-encoding\n';
const NO_COMMIT = /^error: '(.+)\/' does not have a commit checked out$/;
/** Refs of the runner, by the number of a turn: its commit, the edits of a stopped one, the agent's own commits. */
const REFS = 'refs/docs-agent';

export interface NewCommit {
  readonly tree: string;
  readonly parent: string;
  readonly message: string;
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
    await writeSettings(this.#git.bare, true);
    const branch = this.#remote.branch ?? (await this.#remoteHead(remoteSignal));
    const specs = [branch, 'docs-agent/*'].map((name) => `+refs/heads/${name}:refs/remotes/origin/${name}`);
    const options = ['--quiet', '--prune', '--no-tags', '--no-recurse-submodules', '--no-auto-gc'];
    await this.#git.print(['fetch', ...options, '--', this.#remote.address, ...specs], { remoteSignal });
    return branch;
  }

  /** The commit of a branch as last fetched; null: there is none. */
  remoteTip = (branch: string) => this.#resolve(`refs/remotes/origin/${branch}`);
  /** The commit of a job's branch here; null: there is none. */
  localTip = (branch: string) => this.#resolve(`refs/heads/${branch}`);
  /** The commit that the turn has made; null: none. */
  commitOfTurn = (turn: number) => this.#resolve(`${REFS}/turns/${turn}`);
  messageOf = (commit: string) => this.#git.print(['show', '--no-patch', '--format=%B', commit]);

  isAncestor(older: string, newer: string): Promise<boolean> {
    return this.#git.succeeds(['merge-base', '--is-ancestor', older, newer]);
  }

  /** Whether one of the files still holds a conflict marker. */
  async hasMarkers(tree: string, files: readonly string[]): Promise<boolean> {
    const search = ['grep', '--quiet', '^[<>]\\{7\\} ', tree, '--', ...files];
    return files.length > 0 && (await this.#git.succeeds(search));
  }

  /**
   * Puts the work tree on the branch at the commit, with a new git directory.
   * @param tree of the files, if it is not the commit's
   */
  async checkOut(directory: string, branch: string, commit: string, tree = commit): Promise<void> {
    await removeTree(directory);
    await mkdir(directory, { recursive: true });
    await this.#git.print(['init', '--quiet', `--initial-branch=${branch}`, directory]);
    const own = join(directory, '.git');
    await writeSettings(own, false);
    await writeFile(join(own, 'objects', 'info', 'alternates'), `${join(this.#git.bare, 'objects')}\n`);
    const inside = (...args: readonly string[]) => this.#git.print(['-C', directory, ...args]);
    await inside('update-ref', `refs/heads/${branch}`, commit);
    await inside('read-tree', '-u', '--reset', tree);
    if (tree !== commit) await inside('reset', '--quiet', '--mixed');
  }

  /**
   * What the agent has changed in the work tree since `base`, or committed by itself: the tree for a commit (null:
   * none), and the files that may not be committed.
   */
  async contentsOf(turn: number, directory: string, base: string, patterns: readonly string[]) {
    const env = { GIT_INDEX_FILE: join(this.#git.bare, `index-${turn}`) };
    const inTree = (args: readonly string[], input?: string) =>
      this.#git.print([`--work-tree=${directory}`, ...args], { input, env });
    await writeSettings(this.#git.bare, true);
    try {
      await inTree(['read-tree', base]);
      const add = [`--work-tree=${directory}`, 'add', '--all', '--ignore-errors', '--', '.'];
      const { stderr } = await this.#git.run(add, { env });
      const leftOut: string[] = [];
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
      const allowed = await Promise.all(changes.map((change) => this.#isAllowed(change, patterns)));
      const refused = changes.filter((_, at) => !allowed[at]);
      leftOut.push(...refused.map(({ path }) => path));
      if (refused.length > 0) await inTree(['update-index', '-z', '--index-info'], restoring(refused));
      return { tree: changes.length > refused.length ? await inTree(['write-tree']) : null, leftOut };
    } finally {
      await rm(env.GIT_INDEX_FILE, { force: true });
    }
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

/** An agent of the same user may have found the clone, and settings may name commands, as attributes do. */
async function writeSettings(gitDirectory: string, bare: boolean): Promise<void> {
  const settings = `[core]\n\trepositoryformatversion = 0\n\tbare = ${bare}\n${AUTHOR}`;
  const write = async (name: string, text: string) => {
    const fresh = join(gitDirectory, `settings-${process.hrtime.bigint()}.lock`);
    await writeFile(fresh, text);
    await rename(fresh, join(gitDirectory, name));
  };
  await Promise.all([write('config', settings), write('info/attributes', AS_IT_IS)]);
}

/** Removes a folder, also one in which an agent has locked others. */
export async function removeTree(directory: string): Promise<void> {
  const remove = () => rm(directory, { recursive: true, force: true });
  await remove().catch(async () => {
    await execa('chmod', ['-R', 'u+rwX', directory], { reject: false });
    await remove();
  });
}
