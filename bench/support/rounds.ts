export interface BenchSettings {
  /** As few and as short turns as show that the bench works. */
  readonly quick: boolean;
  /** How often each contender has its turn, besides the rounds that only warm up. */
  readonly rounds: number;
  readonly warmUpRounds: number;
  /** Where the processes of the program leave their CPU profiles; null: they make none. */
  readonly profileDir: string | null;
  readonly disk: Disk;
  /** Tells whoever waits how far it is. */
  readonly note: (progress: string) => void;
}

/** The disk of the program and of the references. */
export interface Disk {
  /** Added to each flush. 0: the disk as it is. */
  readonly flushDelayMs: number;
  /** What makes it so, for each process. */
  readonly env: Readonly<Record<string, string>>;
}

/** What one turn measured, by name. */
export type Figures = Readonly<Record<string, number>>;

export interface Contender {
  readonly name: string;
  /** One turn. Nothing of it may go on when it resolves, since the next one's turn follows. */
  measure(): Promise<Figures>;
}

/** What each contender measured, by its name. */
export type Round = ReadonlyMap<string, Figures>;

/** Each contender in turn, round after round; who begins changes. The rounds that warm up are not returned. */
export async function takeTurns(
  contenders: readonly Contender[],
  { rounds, warmUpRounds, note }: Pick<BenchSettings, 'rounds' | 'warmUpRounds' | 'note'>,
): Promise<Round[]> {
  const measured: Round[] = [];
  for (let number = -warmUpRounds; number < rounds; number += 1) {
    const round = new Map<string, Figures>();
    for (const contender of rotated(contenders, number + warmUpRounds)) {
      const figures = await contender.measure();
      round.set(contender.name, figures);
      const turn = number < 0 ? 'warm-up' : `round ${number + 1} of ${rounds}`;
      note(`${turn}, ${contender.name}: ${inWords(figures)}`);
    }
    if (number >= 0) measured.push(round);
  }
  return measured;
}

/** Throws if nobody of this name measured such a figure. */
export function figureOf(round: Round, contender: string, figure: string): number {
  const value = round.get(contender)?.[figure];
  if (value === undefined) throw new Error(`${contender} did not measure ${figure}`);
  return value;
}

function rotated<T>(all: readonly T[], by: number): T[] {
  const first = by % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

function inWords(figures: Figures): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`)
    .join(', ');
}
