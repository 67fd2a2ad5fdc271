import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalWorkspace, localApp, toConfigFile } from './local-slack/workspace.ts';

const START_TIMEOUT_MS = 60_000;

export interface LocalSlackOptions {
  /** From `findLocalSlack`. */
  readonly binary: string;
  /** 0: a free one. */
  readonly port: number;
  readonly workspace: LocalWorkspace;
}

export interface LocalSlack {
  /** Where the web page is, without a slash at the end. */
  readonly url: string;
  /** The Web API, with the slash at the end that Slack's clients want. */
  readonly apiUrl: string;
  readonly teamId: string;
  readonly botUserId: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  /** Ends the program and forgets its workspace. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Runs the program in `$@` beside a guard. When its standard input closes, as it does however this process ends, the
 * guard removes the folder `$1` and kills the program, itself, and whatever the program started (the npm wrapper that
 * may be on the PATH starts the real one as a child).
 */
const GUARDED = `
exec 3<&0
folder=$1
shift
{ cat <&3; rm -rf "$folder"; kill -KILL -$$; } >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

/**
 * Starts a local Slack and waits until it answers. It ends with `stop`, or when this process ends. If it does not start,
 * the error holds its output.
 *
 * Known limit: local-slack listens on all interfaces of the machine, without any authentication.
 */
export async function startLocalSlack({ binary, port, workspace }: LocalSlackOptions): Promise<LocalSlack> {
  const folder = mkdtempSync(join(tmpdir(), 'docs-agent-local-slack-'));
  const configPath = join(folder, 'workspace.json');
  writeFileSync(configPath, toConfigFile(workspace));

  const args = [
    '--config',
    configPath,
    '--files-dir',
    folder,
    '--base-host',
    '127.0.0.1',
    '--port',
    `${port}`,
  ];
  const child = spawn('/bin/sh', ['-c', GUARDED, 'local-slack', folder, binary, ...args], {
    // A process group of its own, for the guard to kill.
    detached: true,
  });
  const stop = async () => {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
    child.stdin.destroy();
    await ended;
  };

  try {
    const url = await addressOf(child, binary);
    return { url, apiUrl: `${url}/api/`, ...localApp, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** local-slack prints its address once it listens, including the port if it chose one. */
function addressOf(child: ChildProcessWithoutNullStreams, binary: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  let errors = '';
  const fail = (what: string) => reject(new Error(`local Slack (${binary}) ${what}${lastLines(errors)}`));
  const timer = setTimeout(() => fail(`did not answer within ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS);

  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-10_000);
    const address = /Web UI:\s+(http:\/\/\S+)/.exec(output)?.[1];
    if (address) resolve(address);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-10_000);
  });
  child.once('error', (error) => fail(`could not be run: ${error.message}`));
  child.once('close', (code) => fail(`ended at its start with code ${code}`));
  return promise.finally(() => clearTimeout(timer));
}

/** The end of what the program said, without the source lines that its runtime adds. */
function lastLines(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\d+ \| /.test(line));
  return lines.length === 0 ? '' : `:\n${lines.slice(-8).join('\n')}`;
}
