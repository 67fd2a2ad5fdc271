import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalWorkspace, localApp, toConfigFile } from './local-slack/workspace.ts';

const START_TIMEOUT_MS = 15_000;
const STOP_TIMEOUT_MS = 3_000;

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
 * Starts a local Slack and waits until it answers. It ends with `stop`, or with this process if that exits
 * (a killed process leaves it running). Throws with what the program said if it does not come up.
 *
 * Known limit: local-slack listens on all interfaces of the machine, without any authentication.
 */
export async function startLocalSlack(options: LocalSlackOptions): Promise<LocalSlack> {
  const folder = mkdtempSync(join(tmpdir(), 'docs-agent-local-slack-'));
  const configPath = join(folder, 'workspace.json');
  writeFileSync(configPath, toConfigFile(options.workspace));

  const args = ['--config', configPath, '--files-dir', folder, '--base-host', '127.0.0.1'];
  // Its own process group, because the npm wrapper that may be on the PATH starts the real program as a child.
  const child = spawn(options.binary, [...args, '--port', String(options.port)], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = () => {
    signalGroup(child, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', end);
  const stop = async () => {
    await terminate(child);
    process.off('exit', end);
    end();
  };

  try {
    const url = await addressOf(child, options.binary);
    return { url, apiUrl: `${url}/api/`, ...localApp, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** local-slack prints its address once it listens: that also tells the port if it chose one. */
function addressOf(child: ChildProcess, binary: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  let errors = '';
  const fail = (what: string) => reject(new Error(`local Slack (${binary}) ${what}${lastLines(errors)}`));
  const timer = setTimeout(() => fail(`did not answer within ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS);

  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-10_000);
    const address = /Web UI:\s+(http:\/\/\S+)/.exec(output)?.[1];
    if (address) resolve(address);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
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

async function terminate(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), STOP_TIMEOUT_MS);
  signalGroup(child, 'SIGTERM');
  await ended;
  clearTimeout(timer);
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It is gone already.
  }
}
