import { type BenchSettings, takeTurns } from './rounds.ts';
import { compare, type Row, type Target } from './rows.ts';
import { type BenchStore, createStores } from './stores.ts';

/** One turn: how much is done in a second. */
type MeasureRate = () => Promise<number>;

export interface RateOptions {
  readonly settings: BenchSettings;
  readonly reference: { readonly name: string; readonly measure: MeasureRate };
  /** Fills a store, which is kept for all turns on it. */
  readonly prepare: (store: BenchStore) => Promise<MeasureRate>;
  readonly target: Target;
}

/** Compares the program on each kind of store with the reference. */
export async function rateRows({ settings, reference, prepare, target }: RateOptions): Promise<Row[]> {
  await using stores = new AsyncDisposableStack();
  const ours: (typeof reference)[] = [];
  for (const store of await createStores()) {
    stores.use(store);
    ours.push({ name: store.name, measure: await prepare(store) });
  }
  const contenders = [reference, ...ours].map(({ name, measure }) => ({
    name,
    measure: async () => ({ perSecond: await measure() }),
  }));
  const rounds = await takeTurns(contenders, settings);
  return ours.map(({ name }) =>
    compare(rounds, {
      label: name,
      unit: 'a second',
      ours: [name, 'perSecond'],
      reference: [reference.name, 'perSecond'],
      target,
    }),
  );
}
