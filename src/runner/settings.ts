import type { CodeHostSettings } from '../codehost/connect.ts';

export interface RunnerSettings {
  readonly project: string;
  /** An https or ssh address, or a path. */
  readonly repository: string;
  readonly branch: string | null;
  readonly command: readonly [string, ...string[]];
  /** Patterns of the files that may change; empty: all. */
  readonly paths: readonly string[];
  readonly apiKey: string;
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly concurrency: number;
  readonly turnTimeoutMs: number;
  readonly gitEnv: Readonly<Record<string, string>>;
  /** The agent's whole environment. */
  readonly agentEnv: Readonly<Record<string, string>>;
  /** The text that precedes each first request. */
  readonly instructions: string | null;
  readonly hourlyLimit: number | null;
  /** How long a job rests before it is archived. */
  readonly keepMs: number;
  /** With write access. */
  readonly codeHosts: readonly CodeHostSettings[];
  /** `owner/name`, where the address does not say it. */
  readonly codeHostRepository: string | null;
}
