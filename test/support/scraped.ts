import type { Service } from '../../src/app/service.ts';

/** What Prometheus would read: the value of each series, by its name with its labels as they are written. */
export type Scraped = Readonly<Record<string, number>>;

export async function scrape({ healthPort }: Pick<Service, 'healthPort'>): Promise<Scraped> {
  const response = await fetch(`http://127.0.0.1:${healthPort}/metrics`);
  if (response.status !== 200) throw new Error(`/metrics answered ${response.status}`);
  return seriesOf(await response.text());
}

/** Throws if the text is not in Prometheus' format. */
function seriesOf(text: string): Scraped {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const [, series, value] = /^([a-z_0-9]+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      // prom-client has no lag of the event loop right after a scrape.
      if (series === undefined || (Number.isNaN(Number(value)) && value !== 'Nan'))
        throw new Error(`not a sample: ${line}`);
      return [series, Number(value)];
    }),
  );
}
