import type { Clock } from '../../../src/engine/runtime/clock.ts';
import { ApiError } from '../strict-slack/api-error.ts';

export interface IssuedTokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in?: number;
}

/** Gives out the tokens of an app, as `oauth.v2.access` does, and knows which are good. Owners are T… or E…. */
export class TokenOffice {
  readonly #clock: Clock;
  readonly #lifeS: number | null;
  readonly #codes = new Map<string, string>();
  readonly #access = new Map<string, { owner: string; untilMs: number; isRevoked: boolean }>();
  readonly #refresh = new Map<string, { owner: string; isUsed: boolean }>();
  #issued = 0;

  /** `lifeS`: of an access token; null: for ever, and there are no refresh tokens. */
  constructor(clock: Clock, lifeS: number | null) {
    this.#clock = clock;
    this.#lifeS = lifeS;
  }

  /** Somebody agrees: a code for one use. */
  agree(owner: string): string {
    const code = `code-${this.#codes.size + 1}-${owner}`;
    this.#codes.set(code, owner);
    return code;
  }

  exchangeCode(code: string): { owner: string; tokens: IssuedTokens } {
    const owner = this.#codes.get(code);
    if (owner === undefined) throw new ApiError('invalid_code');
    this.#codes.delete(code);
    return { owner, tokens: this.#issue(owner) };
  }

  /** A refresh token is good for one use; the old access token lives on until it expires. */
  exchangeRefreshToken(token: string): { owner: string; tokens: IssuedTokens } {
    const known = this.#refresh.get(token);
    if (known === undefined || known.isUsed) throw new ApiError('invalid_refresh_token');
    known.isUsed = true;
    return { owner: known.owner, tokens: this.#issue(known.owner) };
  }

  /** Whose the access token is. Throws ApiError if it is no good. */
  ownerOf(token: string): string {
    const known = this.#access.get(token);
    if (known === undefined) throw new ApiError('invalid_auth');
    if (known.isRevoked) throw new ApiError('token_revoked');
    if (known.untilMs <= this.#clock.now()) throw new ApiError('token_expired');
    return known.owner;
  }

  revoke(owner: string): void {
    for (const one of this.#access.values()) if (one.owner === owner) one.isRevoked = true;
    for (const one of this.#refresh.values()) if (one.owner === owner) one.isUsed = true;
  }

  #issue(owner: string): IssuedTokens {
    this.#issued += 1;
    const access_token = `xoxb-${owner}-${this.#issued}`;
    const lifeS = this.#lifeS;
    const untilMs = lifeS === null ? Number.POSITIVE_INFINITY : this.#clock.now() + lifeS * 1000;
    this.#access.set(access_token, { owner, untilMs, isRevoked: false });
    if (lifeS === null) return { access_token };
    const refresh_token = `xoxe-1-${owner}-${this.#issued}`;
    this.#refresh.set(refresh_token, { owner, isUsed: false });
    return { access_token, refresh_token, expires_in: lifeS };
  }
}
