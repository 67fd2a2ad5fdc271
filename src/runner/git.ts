import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { type Change, isSymlink, mayCommit, parseChanges, restoring } from './changes.ts';
import { TurnFailedError } from './failures.ts';
import { oneLine } from './words.ts';

/** A fetch or push of a large repository over a slow line. */
const GIT_WITHIN_MS = 15 * 60_000;
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
/** Of what git says, as much as a person reads. */
const SAID_MAX = 300;
const AUTHOR = { name: 'docs-agent', email: 'docs-agent@users.noreply.github.com' };
const NOT_UTF8 = 'The name of a changed file is not valid UTF-8.';
const TURNS = 'refs/docs-agent/turns';

export interface RemoteSettings {
  /** An https or ssh address, or a path. */
  readonly address: string;
  /** Null: the remote's HEAD. */
  readonly branch: string | null;
  /** The value of an `Authorization` header for git; null: none is sent. */
  readonly authorization: () => Promise<string | null>;
}

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

/**
 * A bare clone of a repository, and the work trees of its jobs. An agent never sees the clone's settings: its work
 * tree has a git directory of its own, which is made anew for each turn and whose settings and hooks the commands
 * here never read. What git refuses is thrown as TurnFailedError.
 */
export class Repository {
  readonly #bare: string;
  readonly #remote: RemoteSettings;
  /** Two fetches at once would fight for the same locks. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param directory of the bare clone; made at the first fetch */
  constructor(directory: string, remote: RemoteSettings) {
    this.#bare = directory;
    this.#remote = remote;
  }

  /** Removes the locks that a killed git has left behind. */
  async unlock(): Promise<void> {
    const files = await readdir(this.#bare, { recursive: true }).catch(() => []);
    await Promise.all(
      files.filter((file) => file.endsWith('.lock')).map((file) => rm(join(this.#bare, file))),
    );
  }

  /** Fetches the branch to start from and those of jobs. Returns the name of the first. */
  async fetch(): Promise<string> {
    return this.#alone(async () => {
      await mkdir(this.#bare, { recursive: true });
      await this.#git(['init', '--quiet', '--bare', this.#bare]);
      await this.#resetSettings();
      const branch = this.#remote.branch ?? (await this.#remoteHead());
      const specs = [branch, 'docs-agent/*'].map((name) => `+refs/heads/${name}:refs/remotes/origin/${name}`);
      const options = ['--quiet', '--prune', '--no-tags', '--no-recurse-submodules', '--no-auto-gc'];
      await this.#git(['fetch', ...options, '--', this.#remote.address, ...specs], { isRemote: true });
      return branch;
    });
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
    return this.#resolve(`${TURNS}/${turn}`);
  }

  async isAncestor(older: string, newer: string): Promise<boolean> {
    const { exitCode } = await this.#run(['merge-base', '--is-ancestor', older, newer]);
    return exitCode === 0;
  }

  /** Whether one of the files still holds a conflict marker. */
  async hasMarkers(tree: string, files: readonly string[]): Promise<boolean> {
    const { exitCode } = await this.#run(['grep', '--quiet', '^[<>]\\{7\\} ', tree, '--', ...files]);
    return exitCode === 0;
  }

  async messageOf(commit: string): Promise<string> {
    return this.#git(['show', '--no-patch', '--format=%B', commit]);
  }

  /**
   * Puts the work tree on the branch at the commit, with a new git directory. `keepsEdits`: the files stay as they are.
   */
  async checkOut(directory: string, branch: string, commit: string, keepsEdits: boolean): Promise<void> {
    const gitDirectory = join(directory, '.git');
    await rm(keepsEdits ? gitDirectory : directory, { recursive: true, force: true });
    await mkdir(directory, { recursive: true });
    await this.#git(['init', '--quiet', `--initial-branch=${branch}`, directory]);
    await writeFile(join(gitDirectory, 'objects', 'info', 'alternates'), `${join(this.#bare, 'objects')}\n`);
    const inside = ['-C', directory];
    for (const [key, value] of Object.entries({ name: AUTHOR.name, email: AUTHOR.email }))
      await this.#git([...inside, 'config', `user.${key}`, value]);
    await this.#git([...inside, 'update-ref', `refs/heads/${branch}`, commit]);
    await this.#git([...inside, 'reset', '--quiet', keepsEdits ? '--mixed' : '--hard']);
  }

  /** What the work tree holds besides what may not be committed; null: nothing has changed since `base`. */
  async contentsOf(directory: string, base: string, patterns: readonly string[]): Promise<Contents | null> {
    const index = join(this.#bare, `index-${base}-${process.hrtime.bigint()}`);
    const inTree = (args: readonly string[], input?: string) =>
      this.#git([`--work-tree=${directory}`, ...args], { input, env: { GIT_INDEX_FILE: index } });
    await this.#resetSettings();
    try {
      await inTree(['read-tree', base]);
      await inTree(['add', '--all', '--', '.']);
      const changed =
        (await this.#isChanged(inTree, base)) || (await this.#readOwnCommit(directory, base, inTree));
      if (!changed) return null;
      const changes = parseChanges(
        await inTree(['diff-index', '--cached', '--raw', '-z', '--no-renames', base]),
      );
      // Such a name could not be put back.
      if (changes.some(({ path }) => path.includes('\uFFFD'))) throw new TurnFailedError(NOT_UTF8);
      const allowed = await Promise.all(changes.map((change) => this.#isAllowed(change, patterns)));
      const refused = changes.filter((_, at) => !allowed[at]);
      if (refused.length > 0) await inTree(['update-index', '-z', '--index-info'], restoring(refused));
      const isLeft = await this.#isChanged(inTree, base);
      const leftOut = refused.map(({ path }) => path);
      return { tree: isLeft ? await inTree(['write-tree']) : null, leftOut };
    } finally {
      await rm(index, { force: true });
    }
  }

  /** An agent may commit by itself, on a branch that it then leaves: the newest one counts. */
  async #readOwnCommit(
    directory: string,
    base: string,
    inTree: (args: readonly string[]) => Promise<string>,
  ): Promise<boolean> {
    const mine = `refs/docs-agent/agents/${base}`;
    const fetch = ['fetch', '--quiet', '--prune', '--no-tags', '--', directory, `+refs/heads/*:${mine}/*`];
    await this.#run(fetch);
    const found = await this.#git(['for-each-ref', '--sort=-committerdate', '--format=%(objectname)', mine]);
    const [newest] = found.split('\n').filter((commit) => commit !== '' && commit !== base);
    if (newest !== undefined) await inTree(['read-tree', newest]);
    return newest !== undefined && (await this.#isChanged(inTree, base));
  }

  /** Pushes the commit. Returns false if somebody has pushed meanwhile. Throws TurnFailedError. */
  async push(branch: string, commit: string): Promise<boolean> {
    return this.#alone(async () => {
      const spec = `${commit}:refs/heads/${branch}`;
      const push = ['push', '--porcelain', '--', this.#remote.address, spec];
      const { exitCode, stdout, stderr } = await this.#run(push, { isRemote: true });
      if (exitCode === 0) return true;
      if (/^!.*\[rejected\]/m.test(stdout)) return false;
      const refused = /^!.*\[remote rejected\] \((.*)\)/m.exec(stdout)?.[1];
      if (refused === undefined) throw gitFailed(stderr);
      throw new TurnFailedError(`The repository refused the push: ${oneLine(refused, SAID_MAX)}.`);
    });
  }

  /**
   * Puts the turn's commit on top of what somebody has pushed. Returns the new commit, or the files in which both have
   * changed the same, with the tree in which they hold conflict markers.
   */
  async rebase(turn: number, branch: string, commit: string, onto: string) {
    const merge = ['merge-tree', '--write-tree', '--name-only', onto, commit];
    const { exitCode, stdout, stderr } = await this.#run(merge);
    const [tree = '', ...files] = stdout.split('\n');
    if (exitCode === 1) return { conflicts: files.slice(0, files.indexOf('')), tree };
    if (exitCode !== 0) throw gitFailed(stderr);
    const message = await this.messageOf(commit);
    return { commit: await this.commit(turn, branch, { tree, parent: onto, message }) };
  }

  /** Puts a tree with conflict markers into the work tree. */
  async checkOutTree(directory: string, branch: string, commit: string, tree: string): Promise<void> {
    await this.checkOut(directory, branch, commit, false);
    await this.#git(['-C', directory, 'read-tree', '-u', '--reset', tree]);
  }

  /** Makes the turn's one commit, in place of an earlier one. */
  async commit(turn: number, branch: string, { tree, parent, message }: NewCommit): Promise<string> {
    const commit = await this.#git(['commit-tree', tree, '-p', parent, '-F', '-'], { input: message });
    // From here on, the turn has its commit, whatever happens to this process.
    await this.#git(['update-ref', `${TURNS}/${turn}`, commit]);
    await this.#git(['update-ref', `refs/heads/${branch}`, commit]);
    return commit;
  }

  /** An agent of the same user may have found the clone, and settings may name commands. */
  #resetSettings(): Promise<void> {
    return writeFile(join(this.#bare, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
  }

  async #isAllowed(change: Change, patterns: readonly string[]): Promise<boolean> {
    const target = isSymlink(change)
      ? await this.#git(['cat-file', 'blob', change.after?.object ?? ''])
      : null;
    return mayCommit(change, patterns, target);
  }

  async #isChanged(inTree: (args: readonly string[]) => Promise<string>, base: string): Promise<boolean> {
    return (await inTree(['diff-index', '--cached', '--name-only', base])) !== '';
  }

  async #resolve(ref: string): Promise<string | null> {
    const { exitCode, stdout } = await this.#run(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]);
    return exitCode === 0 ? stdout : null;
  }

  async #remoteHead(): Promise<string> {
    const said = await this.#git(['ls-remote', '--symref', '--', this.#remote.address, 'HEAD'], {
      isRemote: true,
    });
    const branch = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(said)?.[1];
    if (branch === undefined)
      throw new TurnFailedError('The repository has no default branch: set RUNNER_BRANCH.');
    return branch;
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => {});
    return result;
  }

  async #git(args: readonly string[], options?: GitOptions): Promise<string> {
    const { exitCode, stdout, stderr } = await this.#run(args, options);
    if (exitCode !== 0) throw gitFailed(stderr);
    return stdout;
  }

  async #run(args: readonly string[], { input, env = {}, isRemote = false }: GitOptions = {}) {
    const isElsewhere = args[0] === '-C' || args[0] === 'init';
    const place = isElsewhere ? [] : [`--git-dir=${this.#bare}`];
    const result = await execa('git', [...SAFE, ...place, ...args], {
      env: { ...QUIET, ...env, ...(isRemote && (await this.#tokenEnv())) },
      ...(input === undefined ? { stdin: 'ignore' } : { input }),
      reject: false,
      timeout: GIT_WITHIN_MS,
      maxBuffer: OUTPUT_MAX_BYTES,
    });
    const { exitCode = 1, stdout, stderr, originalMessage = '' } = result;
    return { exitCode, stdout, stderr: stderr || originalMessage };
  }

  /** The token goes to git in its environment, and only for the address of the code host. */
  async #tokenEnv() {
    const authorization = await this.#remote.authorization();
    return (
      authorization !== null && {
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: `http.${new URL(this.#remote.address).origin}/.extraHeader`,
        GIT_CONFIG_VALUE_0: `Authorization: ${authorization}`,
      }
    );
  }
}

interface GitOptions {
  readonly input?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** It talks to the remote. */
  readonly isRemote?: boolean;
}

/** Nothing that an agent wrote into hooks or settings is run, and nothing that belongs to the machine's user. */
const SAFE = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'protocol.ext.allow=never',
].flatMap((setting) => ['-c', setting]);
const QUIET = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_AUTHOR_NAME: AUTHOR.name,
  GIT_AUTHOR_EMAIL: AUTHOR.email,
  GIT_COMMITTER_NAME: AUTHOR.name,
  GIT_COMMITTER_EMAIL: AUTHOR.email,
  LC_ALL: 'C',
};

function gitFailed(stderr: string): TurnFailedError {
  return new TurnFailedError(`Git failed: ${oneLine(stderr, SAID_MAX).replace(/^(?:fatal|error): /, '')}`);
}
