import type { CodeHostSettings } from '#codehost/client.ts';

export interface RunnerProject {
  readonly id: string;
  /** An https or ssh address, or a path. */
  readonly repository: string;
  readonly branch: string | null;
  readonly command: readonly [string, ...string[]];
  /** Globs of files that may change; empty: all. */
  readonly paths: readonly string[];
  /** `owner/name`, if the address doesn't contain it. */
  readonly codeHostRepository: string | null;
}

export interface RunnerSettings {
  readonly projects: readonly RunnerProject[];
  readonly apiKey: string;
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly concurrency: number;
  readonly turnTimeoutMs: number;
  readonly gitEnv: Readonly<Record<string, string>>;
  readonly agentEnv: Readonly<Record<string, string>>;
  /** Precedes each new session's first prompt. */
  readonly instructions: string | null;
  readonly hourlyLimit: number | null;
  /** Time at rest before archiving. */
  readonly keepMs: number;
  /** With write access. */
  readonly codeHosts: readonly CodeHostSettings[];
}
