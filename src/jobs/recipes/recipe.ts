import type { Schedule } from '../schedule/moments.ts';

/** A request that is written once, in the settings, and asked for again and again. */
export interface Recipe {
  /** Unique in its workspace. */
  readonly name: string;
  /** Null: that of its channel. */
  readonly projectName: string | null;
  /** Where its jobs have their threads. */
  readonly channelId: string;
  /** Plain text with `{placeholders}`. */
  readonly request: string;
  /** What stands for placeholders unless something else is given. */
  readonly values: RecipeValues;
  /** When it starts by itself; null: never. */
  readonly schedule: Schedule | null;
  /** Each start is a draft, which a person starts. */
  readonly isDraft: boolean;
  /** Who is told of what goes wrong with it. */
  readonly owners: readonly string[];
}

/** By the names of placeholders, as they were given. */
export type RecipeValues = ReadonlyMap<string, string>;
