import type { Clock } from '../../src/runtime/clock.ts';
import { wordsOf } from '../words.ts';
import type { StandInPullRequest } from './pull-request.ts';

const CHECKED_AFTER_MS = 12_000;
const REVIEWED_AFTER_MS = 20_000;
const ENDED_AFTER_MS = 60_000;
const CHECK = 'build';
const MAINTAINER = 'carol';
const NOTES = ['docs/cli.md:1 Say which version this needs.', 'docs/cli.md:3 Show an example.'];

/** Pull requests that are checked, reviewed and, unless somebody reads them, merged by themselves. */
export class DemoLife {
  readonly #clock: Clock;
  readonly #merge: (pull: StandInPullRequest, by: string) => Promise<void>;
  /** What would still happen to them. */
  readonly #cancels = new Map<StandInPullRequest, (() => void)[]>();
  readonly #read = new Set<StandInPullRequest>();
  /** Their reviewer has yet to find something. */
  readonly #picky = new Set<StandInPullRequest>();

  constructor(clock: Clock, merge: (pull: StandInPullRequest, by: string) => Promise<void>) {
    this.#clock = clock;
    this.#merge = merge;
  }

  /** The agent has opened the pull request, or changed it. @param request that led to the change */
  changed(pull: StandInPullRequest, request: string): void {
    for (const cancel of this.#cancels.get(pull) ?? []) cancel();
    const words = wordsOf(request);
    const isRed = words.has('red');
    const isClosed = words.has('close');
    if (words.has('picky')) this.#picky.add(pull);
    pull.check(CHECK, null);
    const later = (ms: number, happen: () => void) => this.#clock.at(this.#clock.now() + ms, happen);
    const cancels = [
      later(CHECKED_AFTER_MS, () => {
        pull.check(CHECK, isRed ? 'failure' : 'success');
        pull.deploy(`https://preview.acme.example/${pull.number}/`);
      }),
    ];
    if (!isRed) {
      const isPicky = this.#picky.delete(pull);
      cancels.push(
        later(REVIEWED_AFTER_MS, () => {
          if (isClosed || pull.ended !== null) return;
          if (isPicky) pull.review(MAINTAINER, 'CHANGES_REQUESTED', 'Nearly there.', NOTES);
          else pull.review(MAINTAINER, 'APPROVED');
        }),
        later(ENDED_AFTER_MS, () => {
          if (pull.ended !== null) return;
          if (isClosed) pull.close(MAINTAINER);
          else if (!isPicky && !this.#read.has(pull)) this.#merge(pull, MAINTAINER).catch(() => {});
        }),
      );
    }
    this.#cancels.set(pull, cancels);
  }

  /** Somebody reads it: whether it is merged is theirs to decide. */
  leaveToReader(pull: StandInPullRequest): void {
    this.#read.add(pull);
  }
}
