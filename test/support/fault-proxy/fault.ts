/** What goes wrong with one call of a Web API method. */
export type Fault =
  /** Not forwarded; answered so. */
  | {
      readonly status: number;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Not forwarded; answered 200 with `{"ok":false,"error":…}`. */
  | { readonly error: string }
  /** Forwarded; answered with this error all the same. */
  | { readonly errorAfter: string }
  /** Not forwarded; the connection is cut. */
  | 'reset_before'
  /** Forwarded, and so it happened; the connection is cut in place of the answer. */
  | 'reset_after'
  /** Forwarded; the connection is cut in the middle of the answer's body. */
  | 'half_body'
  /** Forwarded; answered with status 500 all the same. */
  | 'error_after'
  /** Not forwarded, never answered. */
  | 'hang'
  /** Forwarded once this is resolved. */
  | { readonly forwardAfter: Promise<unknown> }
  /** The connection is cut at once, and forwarded once this is resolved: it was on its way all the time. */
  | { readonly lateAfter: Promise<unknown> }
  /** Forwarded at once; answered once this is resolved. */
  | { readonly answerAfter: Promise<unknown> };

/** The faults still to come, per Web API method. */
export class FaultQueue {
  readonly #faults = new Map<string, Fault[]>();

  add(method: string, faults: readonly Fault[]): void {
    this.#faults.set(method, [...(this.#faults.get(method) ?? []), ...faults]);
  }

  take(method: string): Fault | null {
    return this.#faults.get(method)?.shift() ?? null;
  }
}
