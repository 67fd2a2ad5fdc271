import type { Row } from './rows.ts';

export interface BenchSettings {
  /** As few and as short turns as show that the bench works. */
  readonly quick: boolean;
  /** How often each contender has its turn, besides the rounds that only warm up. */
  readonly rounds: number;
  readonly warmUpRounds: number;
  /** Where the processes of the program leave their CPU profiles; null: they make none. */
  readonly profileDir: string | null;
  /** Tells whoever waits how far it is. */
  readonly note: (progress: string) => void;
}

export interface Bench {
  /** What is measured, in one sentence. */
  readonly about: string;
  /** Throws if it cannot be measured, or if what ran did not do its work. */
  run(settings: BenchSettings): Promise<readonly Row[]>;
}
