import type { Clock } from '../../src/runtime/clock.ts';
import { type OpenedPullRequest, StandInPullRequest } from './pull-request.ts';

export interface Reply {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export const NOT_FOUND: Reply = { status: 404, body: { message: 'Not Found' } };

export function ok(body: object): Reply {
  return { status: 200, body };
}

/** As GitHub and GitLab both divide lists. */
export function page<T>(items: readonly T[], query: URLSearchParams): T[] {
  const size = Number(query.get('per_page') ?? 30);
  const start = (Number(query.get('page') ?? 1) - 1) * size;
  return items.slice(start, start + size);
}

interface StandInRepository {
  readonly id: number;
  name: string;
  readonly pulls: StandInPullRequest[];
}

/** The repositories of the stand-in, with their pull requests, and what its token may not see. */
export class StandInRepositories {
  /** By the host's names: `Checks`, `Deployments`. */
  readonly withheld = new Set<string>();
  readonly #repositories: StandInRepository[] = [];
  readonly #formerNames = new Map<string, StandInRepository>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  open(opened: OpenedPullRequest): StandInPullRequest {
    const repository = this.find(opened.repository) ?? this.#create(opened.repository);
    const number = opened.number ?? Math.max(0, ...repository.pulls.map((pull) => pull.number)) + 1;
    const pull = new StandInPullRequest({ ...opened, number }, this.#clock);
    repository.pulls.push(pull);
    return pull;
  }

  get pulls(): readonly StandInPullRequest[] {
    return this.#repositories.flatMap(({ pulls }) => pulls);
  }

  /** Gives a repository another name. Whoever asks by the old one is sent on. */
  move(from: string, to: string): void {
    const repository = this.find(from);
    if (repository === null) throw new Error(`no repository ${from}`);
    this.#formerNames.set(from.toLowerCase(), repository);
    repository.name = to;
  }

  /** By its name, also a former one, or by its number. */
  find(which: string | number): StandInRepository | null {
    const name = typeof which === 'string' ? which.toLowerCase() : null;
    const found = this.#repositories.find((one) => one.id === which || one.name.toLowerCase() === name);
    return found ?? this.#formerNames.get(name ?? '') ?? null;
  }

  /** Those of an owner. */
  of(owner: string): readonly StandInRepository[] {
    return this.#repositories.filter(({ name }) => name.toLowerCase().startsWith(`${owner.toLowerCase()}/`));
  }

  #create(name: string): StandInRepository {
    const repository = { id: 1_000 + this.#repositories.length, name, pulls: [] };
    this.#repositories.push(repository);
    return repository;
  }
}
