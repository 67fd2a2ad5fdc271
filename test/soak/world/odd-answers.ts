import type { Exchange } from '../../support/fault-proxy/forward.ts';
import { choose, type Random } from '../random.ts';
import { OTHER_SPELLINGS } from '../texts.ts';

const SPELLED_SHARE = 0.3;
const FLAP_SHARE = 0.02;
/** What a job that has completed says of itself now and then. The last one is not known to anybody. */
const FLAPS = ['archived', 'failed', 'queued'] as const;

/** Answers that are true, or were a moment ago, and differ from look to look. */
export interface OddAnswers {
  /** What the caller gets in place of the agent API's answer about a job. */
  distort(exchange: Exchange): Exchange;
  /** How often each job has said something else than before, by its id. */
  readonly flaps: ReadonlyMap<string, number>;
  readonly counts: ReadonlyMap<string, number>;
  /** Answers are as the agent API gives them until this is called, and after `end`. */
  begin(): void;
  end(): void;
}

/** Spells the address of a pull request in other ways, and has the status of ended jobs flap. */
export function oddAnswers(random: Random): OddAnswers {
  const flaps = new Map<string, number>();
  const counts = new Map<string, number>();
  let isOn = false;

  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

  function distort(exchange: Exchange): Exchange {
    if (!isOn || exchange.status >= 300) return exchange;
    const job: Job = JSON.parse(exchange.body.toString());
    return { ...exchange, body: Buffer.from(JSON.stringify({ ...job, ...oddly(job) })) };
  }

  function oddly({ id, status, prLink }: Job): Partial<Job> {
    if (status === 'completed' && random() < FLAP_SHARE) {
      flaps.set(id, (flaps.get(id) ?? 0) + 1);
      const other = choose(
        random,
        FLAPS.map((flap) => [1, flap] as const),
      );
      count(`completed that is ${other} for one look`);
      return { status: other };
    }
    if (prLink === null || random() >= SPELLED_SHARE) return {};
    count('another spelling of a pull request');
    const spell = choose(
      random,
      OTHER_SPELLINGS.map((spelling) => [1, spelling] as const),
    );
    return { prLink: spell(prLink) };
  }

  return {
    distort,
    flaps,
    counts,
    begin: () => {
      isOn = true;
    },
    end: () => {
      isOn = false;
    },
  };
}

interface Job {
  readonly id: string;
  readonly status: string;
  readonly prLink: string | null;
}
