/** What a job is set to by hand. */
export interface Finish {
  readonly status: string;
  /** Undefined: the link stays what it was. */
  readonly prLink?: string | null;
  /** The agent's closing words. */
  readonly summary?: string;
  /** Why it failed, or who stopped it. */
  readonly reason?: string;
}

export type Capability = 'idempotency' | 'cancel' | 'summary' | 'activity' | 'images';

interface Turn {
  readonly acceptedAtMs: number;
  readonly lagMs: number;
  readonly plan: TurnScript;
}

interface Span {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly plan: TurnScript;
}

interface State {
  readonly status: string;
  /** Hidden while a turn is worked on, but not forgotten. */
  readonly prLink: string | null;
  readonly working: boolean;
  readonly sinceMs: number;
}

/** A job whose state follows from its script and the time. The prompt is the first of its turns. */
export class ScriptedJob {
  readonly id: string;
  readonly projectId: string;
  readonly createdAtMs: number;
  readonly #number: number;
  readonly #script: Script;
  readonly #prompts: string[] = [];
  /** The state from which the open turns go on. */
  #base: State;
  #turns: Turn[] = [];
  #closing: Pick<Finish, 'summary' | 'reason'> = {};
  activity: string | null = null;

  constructor(id: string, projectId: string, number: number, script: Script, nowMs: number) {
    this.id = id;
    this.projectId = projectId;
    this.createdAtMs = nowMs;
    this.#number = number;
    this.#script = script;
    this.#base = { status: 'active', prLink: null, working: true, sinceMs: nowMs };
  }

  /** The prompt and the follow-ups, in the order of their arrival. */
  get prompts(): readonly string[] {
    return this.#prompts;
  }

  /** When its work ends, or has ended. The end of a turn that another follows at once does not show. */
  get endsAtMs(): readonly number[] {
    const spans = this.#spans();
    return spans.flatMap(({ endsAtMs }, index) =>
      spans[index + 1]?.startsAtMs === endsAtMs ? [] : [endsAtMs],
    );
  }

  send(prompt: string, nowMs: number): void {
    const turn = this.#prompts.push(prompt);
    this.#closing = {};
    const plan = this.#script(prompt, turn);
    this.#turns.push({ acceptedAtMs: nowMs, lagMs: turn === 1 ? 0 : (plan.lagMs ?? 0), plan });
  }

  /** Ends all turns: the job has this state until the next follow-up. */
  finish(finish: Finish, nowMs: number): void {
    const { status, prLink = this.#stateAt(nowMs).prLink } = finish;
    this.#base = { status, prLink, working: false, sinceMs: nowMs };
    this.#turns = [];
    this.#closing = finish;
  }

  isActiveAt(nowMs: number): boolean {
    return this.#stateAt(nowMs).working;
  }

  /** The pull request that the API shows; null: none, or it is hidden by the work on a turn. */
  prLinkAt(nowMs: number): string | null {
    const { working, prLink } = this.#stateAt(nowMs);
    return working ? null : prLink;
  }

  /** The job as the API describes it. */
  describe(nowMs: number, announces: readonly Capability[] = []): object {
    const { status, sinceMs, working } = this.#stateAt(nowMs);
    const { summary = working ? null : 'Done.', reason = null } = working ? {} : this.#closing;
    return {
      id: this.id,
      status,
      source: { repository: 'acme/docs', ref: `docs-agent/${slug(this.#prompts[0] ?? '')}` },
      model: 'docs-writer-1',
      prLink: this.prLinkAt(nowMs),
      createdAt: new Date(this.createdAtMs).toISOString(),
      ...(announces.includes('summary') && { summary: reason === null ? summary : null, reason }),
      ...(announces.includes('activity') && { activity: working ? this.activity : null }),
      ...(announces.includes('cancel') && { queued: Math.max(0, this.#turns.length - 1) }),
      archivedAt: status === 'archived' ? new Date(sinceMs).toISOString() : null,
    };
  }

  #stateAt(nowMs: number): State {
    let state = this.#base;
    for (const { startsAtMs, endsAtMs, plan } of this.#spans()) {
      if (nowMs < startsAtMs) return state;
      if (nowMs < endsAtMs) return { ...state, status: 'active', working: true };
      state = { ...this.#ending(plan, state.prLink), working: false, sinceMs: endsAtMs };
    }
    return state;
  }

  /** When the open turns are worked on, one after the other. */
  #spans(): Span[] {
    let { sinceMs } = this.#base;
    return this.#turns.map(({ acceptedAtMs, lagMs, plan }) => {
      const startsAtMs = Math.max(acceptedAtMs + lagMs, sinceMs);
      sinceMs = plan.ending === 'manual' ? Number.POSITIVE_INFINITY : startsAtMs + plan.workMs;
      return { startsAtMs, endsAtMs: sinceMs, plan };
    });
  }

  #ending({ ending, prLink }: TurnScript, linkSoFar: string | null): Pick<State, 'status' | 'prLink'> {
    if (ending === 'failure') return { status: 'failed', prLink: linkSoFar };
    if (ending === 'no_change') return { status: 'completed', prLink: linkSoFar };
    const ownLink = `https://github.com/acme/docs/pull/${this.#number}`;
    return { status: 'completed', prLink: prLink ?? linkSoFar ?? ownLink };
  }
}

function slug(prompt: string): string {
  const words = prompt.toLowerCase().match(/[a-z0-9]+/g) ?? ['change'];
  return words.slice(0, 6).join('-').slice(0, 50);
}

/** Decides how a turn goes. `turn` is 1 for the prompt. */
export type Script = (prompt: string, turn: number) => TurnScript;

export interface TurnScript {
  /** How long the agent works, from when it starts on the turn. Means nothing for `manual`. */
  readonly workMs: number;
  readonly ending: Ending;
  /** How long the old status lingers after a follow-up. */
  readonly lagMs?: number;
  /** Another pull request than the one the job has or would get. */
  readonly prLink?: string;
  /** The API refuses the prompt of a new job, in these words. */
  readonly refusal?: string;
}

/** `manual`: the turn lasts until `finish` is called. */
export type Ending = 'pull_request' | 'no_change' | 'failure' | 'manual';
