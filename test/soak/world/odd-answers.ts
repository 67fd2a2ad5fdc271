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
  count(): number;
  /** Answers are as the agent API gives them until this is called, and after `end`. */
  begin(): void;
  end(): void;
}

/** Spells the address of a pull request in other ways, and has the status of ended jobs flap. */
export function oddAnswers(random: Random): OddAnswers {
  let count = 0;
  let isOn = false;

  function distort(exchange: Exchange): Exchange {
    if (!isOn || exchange.status >= 300) return exchange;
    const job: Job = JSON.parse(exchange.body.toString());
    return { ...exchange, body: Buffer.from(JSON.stringify({ ...job, ...oddly(job) })) };
  }

  function oddly({ status, prLink }: Job): Partial<Job> {
    if (status === 'completed' && random() < FLAP_SHARE) {
      const other = choose(
        random,
        FLAPS.map((flap) => [1, flap] as const),
      );
      count += 1;
      return { status: other };
    }
    if (prLink === null || random() >= SPELLED_SHARE) return {};
    count += 1;
    const spell = choose(
      random,
      OTHER_SPELLINGS.map((spelling) => [1, spelling] as const),
    );
    return { prLink: spell(prLink) };
  }

  return {
    distort,
    count: () => count,
    begin: () => {
      isOn = true;
    },
    end: () => {
      isOn = false;
    },
  };
}

interface Job {
  readonly status: string;
  readonly prLink: string | null;
}
