import { writeFileSync } from 'node:fs';
import type { ModelWorld } from './model-world.ts';

const DULL = /"(task_done|agent_job_read|slack_library)"/;
const NOISE = /"(?:level|time|call_id)":"[^"]*",/g;

/** The story of a life, for whoever has to find out why it went wrong. */
export class Trace {
  readonly #world: ModelWorld;
  readonly #lines: string[] = [];
  readonly #startMs: number;
  #logged = 0;

  constructor(world: ModelWorld) {
    this.#world = world;
    this.#startMs = world.time.now();
  }

  /** Notes what comes next, after all that the program has logged until now. */
  note(next: unknown): void {
    const news = this.#world.replicas.log.slice(this.#logged).filter((line) => !DULL.test(line));
    this.#logged = this.#world.replicas.log.length;
    this.#lines.push(...news.map((line) => `    ${line.trim().replace(NOISE, '')}`));
    this.#lines.push(`${(this.#world.time.now() - this.#startMs) / 1000} s ${JSON.stringify(next)}`);
  }

  /** Writes the story into a file, with all writes to the agent API and all messages in Slack. */
  async write(path: string): Promise<void> {
    for (const call of this.#world.agent.calls) {
      if (call.operation !== 'get') this.#lines.push(JSON.stringify(call));
    }
    const { slack, scene } = this.#world;
    for (const place of [...scene.channels, ...scene.people]) {
      for (const { ts, thread_ts, text, reactions = [] } of await slack.control.messages(place)) {
        const names = reactions.map(({ name }) => name);
        this.#lines.push(`${place} ${ts} ${thread_ts ?? 'no thread'} ${JSON.stringify(text)} ${names}`);
      }
    }
    writeFileSync(path, this.#lines.join('\n'));
  }
}
