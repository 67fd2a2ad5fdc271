import type { Clock } from '../../src/engine/runtime/clock.ts';
import { wordsOf } from '../agent-api/demo-script.ts';
import type { CodeHost } from './code-host.ts';
import type { StandInPullRequest } from './pull-request.ts';

const CHECKED_AFTER_MS = 12_000;
const REVIEWED_AFTER_MS = 20_000;
const ENDED_AFTER_MS = 45_000;
const TITLE_MAX = 70;
const CHECK = 'build';
const MAINTAINER = 'carol';

/** The words in a prompt or reply that change what becomes of the demo's pull request. */
export const pullRequestWords = [
  { word: 'red', effect: 'the checks of the pull request fail; it stays open, and a reminder comes' },
  { word: 'close', effect: 'the pull request is closed without merging' },
] as const;

interface Life {
  readonly pull: StandInPullRequest;
  /** Ends what would still happen to it. */
  cancel(): void;
}

/** Pull requests that are checked, reviewed and merged by themselves, within a minute. */
export class DemoLife {
  readonly #host: CodeHost;
  readonly #clock: Clock;
  readonly #lives = new Map<string, Life>();

  constructor(host: CodeHost, clock: Clock) {
    this.#host = host;
    this.#clock = clock;
  }

  /** The agent has opened the pull request, or changed it. @param prompts of its job so far */
  changed(prLink: string, prompts: readonly string[]): void {
    const [, repository, number] = /([\w-]+\/[\w-]+)\/pull\/(\d+)$/.exec(prLink) ?? [];
    if (repository === undefined) return;
    const former = this.#lives.get(prLink);
    const pull = former?.pull ?? this.#open(repository, Number(number), prompts);
    if (pull.ended !== null) return;
    former?.cancel();
    if (former !== undefined) pull.push();
    this.#lives.set(prLink, { pull, cancel: this.#live(pull, wordsOf(prompts.at(-1) ?? '')) });
  }

  #open(repository: string, number: number, [prompt = '']: readonly string[]): StandInPullRequest {
    const title = (prompt.split('\n', 1)[0] ?? '').slice(0, TITLE_MAX);
    const size = { files: 1 + (number % 4), added: 40 + ((number * 37) % 160), removed: (number * 5) % 30 };
    const description = `Adds what was asked for: “${title}”. Written by the demo's scripted agent.`;
    return this.#host.open({ repository, number, title, description, size });
  }

  #live(pull: StandInPullRequest, words: ReadonlySet<string>): () => void {
    const isRed = words.has('red');
    pull.check(CHECK, null);
    const cancels = [
      this.#after(CHECKED_AFTER_MS, () => {
        pull.check(CHECK, isRed ? 'failure' : 'success');
        pull.deploy(`https://preview.acme.example/${pull.number}/`);
      }),
    ];
    if (!isRed) {
      cancels.push(
        this.#after(REVIEWED_AFTER_MS, () => {
          if (!words.has('close')) pull.review(MAINTAINER, 'APPROVED');
        }),
        this.#after(ENDED_AFTER_MS, () => {
          if (words.has('close')) pull.close(MAINTAINER);
          else pull.merge(MAINTAINER);
        }),
      );
    }
    return () => {
      for (const cancel of cancels) cancel();
    };
  }

  #after(ms: number, happen: () => void): () => void {
    return this.#clock.at(this.#clock.now() + ms, happen);
  }
}
