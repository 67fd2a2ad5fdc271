import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { StrictSlack } from '../../support/strict-slack.ts';
import { usesDisk } from '../../support/test-clock.ts';
import type { AgentFront } from './agent-front.ts';
import type { Plan } from './queue.ts';
import type { Replicas } from './replicas.ts';
import type { SkippingClock } from './skipping-clock.ts';
import type { Troubles } from './troubles.ts';

/** So many turns of the event loop without anything to do are rest. */
const CALM_TURNS = 4;
/** After so many turns with something to do, the processor is left to others for a moment. */
const EAGER_TURNS = 50;
const REST_WITHIN_MS = 90_000;
/** While a call waits for its slow answer: shorter than the time between two renewals of a lease. */
const SLOW_STEP_MS = 5_000;
/** What one replica leaves to another is found at its next look. */
const NEXT_LOOK_MS = 1_000;
const STUCK_TURNS = 200;
/** After a 429, reads take turns; all that are due may have to. */
const NEXT_READ_MS = 1_000;

export interface Surroundings {
  readonly clock: SkippingClock;
  readonly slack: StrictSlack;
  readonly agent: AgentFront;
  readonly troubles: Troubles;
  readonly replicas: Replicas;
}

/** Skips the time in which nothing happens: a day costs as many steps as it has moments at which something is due. */
export class PassingTime {
  hasSlept = false;
  readonly #around: Surroundings;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  now(): number {
    return this.#around.clock.outside.now();
  }

  /** Waits until the program has done all that is due. Throws if that does not end. */
  async rest(): Promise<void> {
    const { replicas } = this.#around;
    const endMs = Date.now() + REST_WITHIN_MS;
    let turns = 0;
    for (let calm = 0; calm < CALM_TURNS; calm = (await this.#isAtWork()) ? 0 : calm + 1) {
      turns += 1;
      if (turns < EAGER_TURNS) await nextTurn();
      else await pause(1);
      if (turns % STUCK_TURNS === 0 && replicas.count > 1)
        this.#around.clock.jumpTo(this.now() + NEXT_LOOK_MS);
      if (Date.now() > endMs) throw new Error(`the program does not come to rest: ${await this.#state()}`);
    }
  }

  /** Lets so much time pass, with a stop at each moment at which something is due. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.now() + ms;
    await this.#passUntil(untilMs);
    this.#around.clock.jumpTo(untilMs);
    await this.rest();
  }

  /** Lets time pass until nothing is planned any more, at most so much. */
  passAll(maxMs: number): Promise<void> {
    return this.#passUntil(this.now() + maxMs);
  }

  /** The machine sleeps for so long, in the middle of whatever it does. */
  async sleep(ms: number): Promise<void> {
    this.hasSlept = true;
    this.#around.clock.sleepTo(this.now() + ms);
    await this.rest();
  }

  /** If all that is left to wait for is a slow answer: lets a second pass. */
  helpAlong(): void {
    const { clock, slack, agent } = this.#around;
    if (slack.inFlight() === 0 && agent.active() === 0) clock.jumpTo(this.now() + NEXT_LOOK_MS);
  }

  async #passUntil(untilMs: number): Promise<void> {
    await this.rest();
    for (;;) {
      const nextMs = this.#nextMoment(await this.#around.replicas.look());
      if (nextMs === null || nextMs > untilMs) return;
      this.#around.clock.jumpTo(nextMs);
      await this.rest();
    }
  }

  /** When something happens next, or null if nothing is planned. */
  #nextMoment({ nextDueMs, slowedReads, readsAgainMs }: Plan): number | null {
    const moments = [nextDueMs, this.#around.clock.nextOutsideMs()].filter((atMs) => atMs !== null);
    if (slowedReads > 0) moments.push(Math.max(readsAgainMs, this.now() + NEXT_READ_MS));
    if (this.#slowCalls() > 0) moments.push(this.now() + SLOW_STEP_MS);
    return moments.length === 0 ? null : Math.min(...moments);
  }

  async #isAtWork(): Promise<boolean> {
    const { slack, agent, replicas } = this.#around;
    if (slack.inFlight() + agent.active() > 0 || usesDisk()) return true;
    const { due, inFlight } = await replicas.look();
    return due > 0 || inFlight > this.#slowCalls();
  }

  #slowCalls(): number {
    return this.#around.troubles.held + this.#around.agent.held();
  }

  async #state(): Promise<string> {
    const { slack, agent, replicas } = this.#around;
    return JSON.stringify({
      slack: slack.inFlight(),
      slow: this.#slowCalls(),
      agent: agent.active(),
      tasks: await replicas.leftOver(),
      log: replicas.log.slice(-10),
    });
  }
}
