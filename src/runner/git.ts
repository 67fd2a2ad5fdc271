import { execa } from 'execa';
import { DISK_FULL, DiskFullError, TurnFailedError } from './failures.ts';
import type { PullRequests } from './pull-requests.ts';
import { oneLine } from './words.ts';

/** For a large repository on a slow line. */
const REMOTE_WITHIN_MS = 15 * 60_000;
const LOCAL_WITHIN_MS = 2 * 60_000;
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
export const SAID_MAX = 300;
/** Git often says no more than what it could not write. The remote's disk is another. */
const SAYS_FULL =
  /^(?!remote:).*(?:No space left on device|Disk quota exceeded|unable to write (?:new.index )?file|couldn't write ')/m;
/** Set for child processes, and so for their descendants. */
export const MARKER = 'DOCS_AGENT_RUNNER';

export interface RemoteSettings {
  readonly address: string;
  /** Null: the remote's HEAD. */
  readonly branch: string | null;
  readonly login: PullRequests['login'] | undefined;
  /** Without secrets: an agent may make git run a command. */
  readonly env: Readonly<Record<string, string>>;
  readonly mark: string;
}

export interface GitOptions {
  readonly input?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** For commands that use the remote. */
  readonly remoteSignal?: AbortSignal;
}

/** Reads no settings but those given here. */
export class Git {
  readonly bare: string;
  readonly #remote: RemoteSettings;

  constructor(bare: string, remote: RemoteSettings) {
    this.bare = bare;
    this.#remote = remote;
  }

  /** Throws TurnFailedError. */
  async print(args: readonly string[], options?: GitOptions): Promise<string> {
    const { exitCode, stdout, stderr } = await this.run(args, options);
    if (exitCode !== 0) throw gitFailed(stderr);
    return stdout;
  }

  async succeeds(args: readonly string[]): Promise<boolean> {
    return (await this.run(args)).exitCode === 0;
  }

  /** Throws DiskFullError. */
  async run(args: readonly string[], { input, env, remoteSignal }: GitOptions = {}) {
    const place = args[0] === '-C' ? [] : [`--git-dir=${this.bare}`];
    const login = remoteSignal && (await this.#remote.login?.());
    // Unlike a header, a helper answers only for this host, even after a redirect.
    const helper = login ? ['-c', `credential.${new URL(this.#remote.address).origin}.helper=${HELPER}`] : [];
    const result = await execa('git', [...SAFE, ...helper, ...place, ...args], {
      env: { ...this.#remote.env, ...QUIET, [MARKER]: this.#remote.mark, ...env, ...login },
      extendEnv: false,
      ...(input === undefined ? { stdin: 'ignore' } : { input }),
      ...(remoteSignal && { cancelSignal: remoteSignal }),
      reject: false,
      timeout: remoteSignal ? REMOTE_WITHIN_MS : LOCAL_WITHIN_MS,
      maxBuffer: OUTPUT_MAX_BYTES,
    });
    // A killed git has no exit code, and 1 often means a result.
    const { exitCode = 128, stdout, stderr, originalMessage = '' } = result;
    if (exitCode !== 0 && SAYS_FULL.test(stderr)) throw new DiskFullError(DISK_FULL);
    return { exitCode, stdout, stderr: stderr || originalMessage };
  }
}

/** Ignores the user's settings, and whatever an agent put into settings or hooks. */
const SAFE = [
  'core.hooksPath=/dev/null',
  'core.excludesFile=/dev/null',
  'core.attributesFile=/dev/null',
  'core.fsmonitor=false',
  'credential.helper=',
  'gc.auto=0',
  'protocol.ext.allow=never',
].flatMap((setting) => ['-c', setting]);
const HELPER = String.raw`!f() { printf "%s\n" "username=$GIT_USER" "password=$GIT_TOKEN"; }; f`;
const QUIET = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C',
};

export function gitFailed(stderr: string): TurnFailedError {
  return new TurnFailedError(`Git failed: ${oneLine(stderr, SAID_MAX).replace(/^(?:fatal|error): /, '')}`);
}
