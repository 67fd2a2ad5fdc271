import type { StoredMessage } from './message.ts';

/** The messages of one channel, found quickly however many there are. All lists are oldest first. */
export class ChannelLog {
  readonly #byTs = new Map<string, StoredMessage>();
  readonly #all: string[] = [];
  readonly #topLevel: string[] = [];
  readonly #threads = new Map<string, string[]>();
  readonly #deleted = new Set<string>();

  /** Its `ts` must be later than all before. */
  add(message: StoredMessage): void {
    for (const list of this.#listsOf(message)) list.push(message.ts);
    this.#byTs.set(message.ts, message);
  }

  get(ts: string): StoredMessage | undefined {
    return this.#byTs.get(ts);
  }

  replace(message: StoredMessage): void {
    this.#byTs.set(message.ts, message);
  }

  delete(message: StoredMessage): void {
    for (const list of this.#listsOf(message)) list.splice(firstFrom(list, message.ts), 1);
    this.#byTs.delete(message.ts);
    this.#deleted.add(message.ts);
  }

  /** A deleted root goes on to take replies. */
  wasDeleted(ts: string): boolean {
    return this.#deleted.has(ts);
  }

  all(): StoredMessage[] {
    return this.#messages(this.#all);
  }

  replies(rootTs: string, range: TsRange = {}): StoredMessage[] {
    return this.#messages(within(this.#threads.get(rootTs) ?? [], range)).filter(isPublic);
  }

  /** Also what only one person sees. */
  wholeThread(rootTs: string): StoredMessage[] {
    return this.#messages(this.#threads.get(rootTs) ?? []);
  }

  replyCount(rootTs: string): number {
    return this.replies(rootTs).length;
  }

  topLevel(range: TsRange): StoredMessage[] {
    return this.#messages(within(this.#topLevel, range)).filter(isPublic);
  }

  #messages(list: readonly string[]): StoredMessage[] {
    return list.flatMap((ts) => this.#byTs.get(ts) ?? []);
  }

  #listsOf({ thread_ts: rootTs, subtype }: StoredMessage): string[][] {
    const lists = [this.#all];
    if (rootTs === undefined || subtype === 'thread_broadcast') lists.push(this.#topLevel);
    if (rootTs !== undefined) {
      const thread = this.#threads.get(rootTs) ?? [];
      this.#threads.set(rootTs, thread);
      lists.push(thread);
    }
    return lists;
  }
}

/** Without `inclusive`, messages at the ends are left out. */
export interface TsRange {
  readonly oldest?: string | undefined;
  readonly latest?: string | undefined;
  readonly inclusive?: boolean | undefined;
}

function isPublic({ ephemeral_to }: StoredMessage): boolean {
  return ephemeral_to === undefined;
}

function within(list: readonly string[], { oldest, latest, inclusive = false }: TsRange): string[] {
  const start = oldest === undefined ? 0 : firstFrom(list, oldest, !inclusive);
  const end = latest === undefined ? list.length : firstFrom(list, latest, inclusive);
  return list.slice(start, end);
}

/** The index of the first entry that is not before `ts` (with `after`: that is after it). */
function firstFrom(list: readonly string[], ts: string, after = false): number {
  const wanted = micros(ts);
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const value = micros(list[middle] ?? '');
    if (value < wanted || (after && value === wanted)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function micros(ts: string): number {
  const [seconds = '0', fraction = ''] = ts.split('.');
  return Number(seconds) * 1e6 + Number(fraction.padEnd(6, '0').slice(0, 6));
}
