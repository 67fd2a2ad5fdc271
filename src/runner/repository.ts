import { copyFile, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { execa } from 'execa';
import { type Change, mayCommit, parseChanges, SUBMODULE, SYMLINK } from './changes.ts';
import { DiskFullError, TurnFailedError } from './failures.ts';
import { Git, gitFailed, type RemoteSettings, SAID_MAX } from './git.ts';
import { oneLine } from './words.ts';

const NOT_UTF8 = 'The name of a changed file is not valid UTF-8.';
const AUTHOR = '[user]\n\tname = docs-agent\n\temail = docs-agent@users.noreply.github.com\n';
/** Ignores the repository's attributes. */
const AS_IT_IS = '* -text -filter -ident -working-tree-encoding\n';
const UNREAD = /^error: (?:'(.+)\/' does not have a commit checked out|unable to index file '(.+)')$/gm;
const LINKS_MAX = 200;
const LEFT_BEHIND = /\.lock$|^index-|^objects\/\w+\/tmp_/;
/** `turn`: commits of turns; `kept`: edits of stopped turns. Both by turn number. */
const PLACES = {
  remote: 'refs/remotes/origin',
  local: 'refs/heads',
  turn: 'refs/docs-agent/turns',
  kept: 'refs/docs-agent/kept',
} as const;
export type Ref = readonly [kind: keyof typeof PLACES, name: string];

export interface NewCommit {
  readonly tree: string;
  readonly parent: string;
  readonly message: string;
}

export interface Merged {
  readonly tree: string;
  /** With conflict markers. */
  readonly conflicts: readonly string[];
  /** False with other conflicts, such as a file both changed and deleted. */
  readonly isOfLines: boolean;
}

/**
 * A bare clone and its jobs' work trees, each with a git directory that is new in each turn. Agents never see
 * the clone's settings, and the commands here never read an agent's. Throws TurnFailedError if git fails.
 */
export class Repository {
  readonly #git: Git;
  readonly #remote: RemoteSettings;
  /** Git locks exclude concurrent fetches. */
  #fetching: Promise<unknown> = Promise.resolve();

  constructor(directory: string, remote: RemoteSettings) {
    this.#git = new Git(directory, remote);
    this.#remote = remote;
  }

  /** Also removes what a failed or killed git left behind. Nothing else may use the clone meanwhile. */
  async open(): Promise<void> {
    await this.#fetching;
    const files = await readdir(this.#git.bare, { recursive: true }).catch(() => []);
    const left = files.filter((file) => LEFT_BEHIND.test(file));
    await Promise.all(left.map((file) => rm(join(this.#git.bare, file), { force: true })));
    await makeGitDirectory(this.#git.bare, true, 'main');
  }

  /** Fetches the base branch, whose name it returns, and jobs' branches. */
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
    await makeGitDirectory(this.#git.bare, true, 'main');
    const { address } = this.#remote;
    let { branch } = this.#remote;
    if (branch === null) {
      const head = await this.#git.print(['ls-remote', '--symref', '--', address, 'HEAD'], { remoteSignal });
      branch = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(head)?.[1] ?? null;
    }
    if (branch === null) throw new TurnFailedError('Without a default branch, the settings must name one.');
    const specs = [branch, 'docs-agent/*'].map((name) => `+refs/heads/${name}:refs/remotes/origin/${name}`);
    const options = ['--quiet', '--prune', '--no-tags', '--no-recurse-submodules', '--no-auto-gc'];
    await this.#git.print(['fetch', ...options, '--', address, ...specs], { remoteSignal });
    return branch;
  }

  async tips(...refs: readonly Ref[]): Promise<(string | null)[]> {
    const names = refs.map(([kind, name]) => `${PLACES[kind]}/${name}`);
    const found = await this.#git.print(['for-each-ref', '--format=%(refname) %(objectname)', ...names]);
    const tips = new Map(found.split('\n').map((line) => line.split(' ') as [string, string]));
    return names.map((name) => tips.get(name) ?? null);
  }

  messageOf(commit: string): Promise<string> {
    return this.#git.print(['show', '--no-patch', '--format=%B', commit]);
  }

  parentOf(commit: string): Promise<string> {
    return this.#git.print(['rev-parse', `${commit}^`]);
  }

  isAncestor(older: string, newer: string): Promise<boolean> {
    return this.#git.succeeds(['merge-base', '--is-ancestor', older, newer]);
  }

  async hasMarkers(tree: string, files: readonly string[]): Promise<boolean> {
    if (files.length === 0) return false;
    const search = ['grep', '--quiet', '^[<>]\\{7\\} ', tree, '--', ...files];
    const { exitCode, stderr } = await this.#git.run(search);
    if (exitCode > 1) throw gitFailed(stderr);
    return exitCode === 0;
  }

  /** @param tree of files, if not the commit's */
  async checkOut(turn: number, directory: string, branch: string, commit: string, tree = commit) {
    await removeTree(directory);
    const own = join(directory, '.git');
    await makeGitDirectory(own, false, branch);
    await writeFile(join(own, 'objects', 'info', 'alternates'), `${join(this.#git.bare, 'objects')}\n`);
    const ref = join(own, 'refs', 'heads', branch);
    await mkdir(dirname(ref), { recursive: true });
    await writeFile(ref, `${commit}\n`);
    await this.#git.print(['-C', directory, 'read-tree', '-u', '--reset', tree]);
    // Lets git skip untouched files. The old time makes it read those touched in the same moment.
    const index = join(own, 'index');
    const { atime, mtime } = await stat(index);
    const copy = join(this.#git.bare, `index-${turn}`);
    await copyFile(index, copy);
    const env = { GIT_INDEX_FILE: copy };
    const staged = await this.#git.print(['ls-files', '--stage', '-z'], { env });
    const links = staged.split('\0').filter((line) => line.startsWith(SUBMODULE));
    const input = links.map((line) => `${line.slice(line.indexOf('\t') + 1)}\0`).join('');
    // Otherwise, git would use the settings of a repository that the agent puts there.
    const assume = [`--work-tree=${directory}`, 'update-index', '--assume-unchanged', '-z', '--stdin'];
    if (links.length > 0) await this.#git.print(assume, { input, env });
    await utimes(copy, atime, mtime);
    if (tree !== commit) await this.#git.print(['-C', directory, 'reset', '--quiet', '--mixed']);
  }

  /** The agent's edits and commits since `base`. `tree` null: none; `leftOut`: files it may not change. */
  async contentsOf(turn: number, directory: string, base: string, patterns: readonly string[]) {
    const env = { GIT_INDEX_FILE: join(this.#git.bare, `index-${turn}`) };
    const inTree = (args: readonly string[], input?: string) =>
      this.#git.print([`--work-tree=${directory}`, ...args], { input, env });
    await makeGitDirectory(this.#git.bare, true, 'main');
    // Git would block on them.
    const pipes = ['(', '-type', 'p', '-o', '-type', 's', ')', '-delete'];
    await execa('find', [directory, ...pipes], { reject: false });
    try {
      const add = [`--work-tree=${directory}`, 'add', '--all', '--ignore-errors', '--', '.'];
      const { stderr } = await this.#git.run(add, { env });
      const [fatal] = /^fatal:.*/m.exec(stderr) ?? [];
      if (fatal !== undefined) throw gitFailed(fatal);
      const leftOut = Array.from(stderr.matchAll(UNREAD), ([, folder, file]) => folder ?? file ?? '');
      const worked = await inTree(['write-tree']);
      const tree = await this.#withOwnCommits(turn, directory, base, worked);
      if (tree !== worked) await inTree(['read-tree', tree]);
      const diff = await inTree(['diff-index', '--cached', '--raw', '-z', '--no-renames', base]);
      const changes = parseChanges(diff);
      // Such a name can't be restored.
      if (changes.some(({ path }) => path.includes('\uFFFD'))) throw new TurnFailedError(NOT_UTF8);
      const targets = new Map<Change, string>();
      for (const link of changes.filter(({ mode }) => mode === SYMLINK).slice(0, LINKS_MAX))
        targets.set(link, await this.#git.print(['cat-file', 'blob', link.object]));
      const refused = changes.filter((change) => !mayCommit(change, patterns, targets.get(change) ?? null));
      const named = [...leftOut, ...refused.map(({ path }) => path)];
      const restored = refused.map(({ path, before }) => `${before}\t${path}\0`).join('');
      await inTree(['update-index', '-z', '--index-info'], restored);
      const left = await inTree(['write-tree']);
      const isEmpty = left === (await this.#git.print(['rev-parse', `${base}^{tree}`]));
      return { tree: isEmpty ? null : left, leftOut: named };
    } finally {
      await rm(env.GIT_INDEX_FILE, { force: true });
    }
  }

  /** Merges the agent's newest commit on a branch that it left, unless it conflicts. */
  async #withOwnCommits(turn: number, directory: string, base: string, tree: string): Promise<string> {
    // Unlike other commands, a fetch runs nothing from the agent's settings.
    const ref = `refs/docs-agent/agents/${turn}`;
    const fetch = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', directory];
    if (!(await this.#git.succeeds([...fetch, `+refs/heads/*:${ref}/heads/*`, `+HEAD:${ref}/head`])))
      return tree;
    const listing = ['for-each-ref', '--sort=-committerdate', '--format=%(objectname)', `${ref}/heads`];
    const own = (await this.#git.print(listing)).split('\n');
    const newest = own.find((commit) => commit && commit !== base);
    if (newest === undefined || (await this.isAncestor(newest, `${ref}/head`))) return tree;
    // The agent merely fetched it.
    if (!(await this.isAncestor(base, newest))) return tree;
    const merged = await this.#merge(newest, await this.#commitTree(tree, [base])).catch((error: unknown) => {
      if (error instanceof DiskFullError) throw error;
      return null;
    });
    return merged?.conflicts.length === 0 ? merged.tree : tree;
  }

  /** False: somebody else pushed meanwhile. */
  async push(branch: string, commit: string, remoteSignal: AbortSignal): Promise<boolean> {
    const push = ['push', '--porcelain', '--', this.#remote.address, `${commit}:refs/heads/${branch}`];
    const { exitCode, stdout, stderr } = await this.#git.run(push, { remoteSignal });
    if (exitCode === 0) return true;
    if (/^!.*\[rejected\]/m.test(stdout)) return false;
    const refused = /^!.*\[remote rejected\] \((.*)\)/m.exec(stdout)?.[1];
    if (refused === undefined) throw gitFailed(stderr);
    throw new TurnFailedError(`The repository refused the push: ${oneLine(refused, SAID_MAX)}.`);
  }

  /** Applies the changes of one commit. */
  async pick(onto: string, commit: string): Promise<Merged> {
    const root = await this.#commitTree(`${commit}^^{tree}`, []);
    const ours = await this.#commitTree(`${onto}^{tree}`, [root]);
    return this.#merge(ours, await this.#commitTree(`${commit}^{tree}`, [root]));
  }

  #commitTree(tree: string, parents: readonly string[], message = 'A merge'): Promise<string> {
    const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
    return this.#git.print(args, { input: message });
  }

  async #merge(onto: string, commit: string): Promise<Merged> {
    const merge = ['merge-tree', '--write-tree', '-z', '--name-only', onto, commit];
    const { exitCode, stdout, stderr } = await this.#git.run(merge);
    if (exitCode > 1) throw gitFailed(stderr);
    const [tree = '', ...files] = stdout.split('\0');
    const conflicts = exitCode === 0 ? [] : files.slice(0, files.indexOf(''));
    const kinds = files.filter((part) => /^CONFLICT \([^()]+\)$/.test(part));
    return { tree, conflicts, isOfLines: kinds.every((kind) => kind === 'CONFLICT (contents)') };
  }

  /** Updates all refs at once. From then on, the commit survives a crash. */
  async commit({ tree, parent, message }: NewCommit, ...refs: readonly Ref[]): Promise<string> {
    const commit = await this.#commitTree(tree, [parent], message);
    const input = refs.map(([kind, name]) => `update ${PLACES[kind]}/${name} ${commit}\n`).join('');
    await this.#git.print(['update-ref', '--stdin'], { input });
    return commit;
  }
}

/** Also repairs settings and attributes, which may name commands: an agent of the same user can write there. */
async function makeGitDirectory(directory: string, isBare: boolean, branch: string): Promise<void> {
  for (const name of ['objects/info', 'refs/heads', 'info'])
    await mkdir(join(directory, name), { recursive: true });
  const settings = `[core]\n\trepositoryformatversion = 0\n\tbare = ${isBare}\n${AUTHOR}`;
  const write = async (name: string, text: string) => {
    const fresh = join(directory, `${basename(name)}-${process.hrtime.bigint()}.lock`);
    await writeFile(fresh, text);
    await rename(fresh, join(directory, name));
  };
  const head = write('HEAD', `ref: refs/heads/${branch}\n`);
  await Promise.all([head, write('config', settings), write('info/attributes', AS_IT_IS)]);
}

/** Also removes what an agent made read-only. */
export async function removeTree(directory: string): Promise<void> {
  const remove = () => rm(directory, { recursive: true, force: true });
  await remove().catch(async () => {
    await execa('chmod', ['-R', 'u+rwX', directory], { reject: false });
    await remove();
  });
}
