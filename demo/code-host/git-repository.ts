import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
/** What only a person's own git knows stays out. */
const ENV = {
  ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C', PATH: process.env.PATH },
  ...{ GIT_AUTHOR_NAME: 'carol', GIT_AUTHOR_EMAIL: 'carol@acme.example' },
  ...{ GIT_COMMITTER_NAME: 'Acme Code', GIT_COMMITTER_EMAIL: 'code@acme.example' },
};

/** A bare git repository of the demo. */
export class GitRepository {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** With the files of a folder as its first commit. */
  static async of(files: string, directory: string): Promise<GitRepository> {
    const repository = new GitRepository(directory);
    await run('git', ['init', '--quiet', '--bare', '--initial-branch=main', directory], { env: ENV });
    await repository.git(`--work-tree=${files}`, 'add', '--all');
    await repository.git(`--work-tree=${files}`, 'commit', '--quiet', '--message', 'Publish the docs');
    return repository;
  }

  /** A copy of somebody's repository, which the demo may push to. */
  static async copyOf(source: string, directory: string): Promise<GitRepository> {
    await run('git', ['clone', '--quiet', '--bare', '--', source, directory]);
    return new GitRepository(directory);
  }

  async git(...args: readonly string[]): Promise<string> {
    const options = { env: ENV, maxBuffer: OUTPUT_MAX_BYTES };
    return (await run('git', [`--git-dir=${this.directory}`, ...args], options)).stdout;
  }

  /** The branch's last commit. A branch that was just pushed is a file of its own. */
  async tip(branch: string): Promise<string> {
    const text = await readFile(join(this.directory, 'refs', 'heads', branch), 'utf8').catch(() => null);
    return (text ?? (await this.git('rev-parse', `refs/heads/${branch}`))).trim();
  }

  branchesOfAgent(): Promise<string> {
    return this.git('for-each-ref', 'refs/heads/docs-agent');
  }

  /** What the branch changes in the other. */
  async size(base: string, head: string) {
    const numbers = (await this.git('diff', '--numstat', `${base}...${head}`)).trim().split('\n');
    const sum = (column: number) =>
      numbers.reduce((total, line) => total + (Number(line.split('\t')[column]) || 0), 0);
    return { files: numbers.length, added: sum(0), removed: sum(1) };
  }

  /** Merges the branch as one commit. Throws, for people, if they conflict. */
  async merge(base: string, head: string, message: string): Promise<void> {
    const into = await this.tip(base);
    const merging = this.git('merge-tree', '--write-tree', into, await this.tip(head));
    const tree = await merging.catch(() => {
      throw new Error(`It has conflicts with ${base}, and cannot be merged.`);
    });
    const commit = (await this.git('commit-tree', tree.trim(), '-p', into, '-m', message)).trim();
    await this.git('update-ref', `refs/heads/${base}`, commit, into);
  }
}
