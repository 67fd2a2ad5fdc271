import { ApiError } from '../strict-slack/api-error.ts';

/** Gives out the tokens of an app, as `oauth.v2.access` does, and knows which are good. Owners are T… or E…. */
export class TokenOffice {
  readonly #codes = new Map<string, string>();
  readonly #access = new Map<string, { owner: string; isRevoked: boolean }>();

  /** Somebody agrees: a code for one use. */
  agree(owner: string): string {
    const code = `code-${this.#codes.size + 1}-${owner}`;
    this.#codes.set(code, owner);
    return code;
  }

  exchangeCode(code: string): { owner: string; accessToken: string } {
    const owner = this.#codes.get(code);
    if (owner === undefined) throw new ApiError('invalid_code');
    this.#codes.delete(code);
    const accessToken = `xoxb-${owner}-${this.#access.size + 1}`;
    this.#access.set(accessToken, { owner, isRevoked: false });
    return { owner, accessToken };
  }

  /** Whose the access token is. Throws ApiError if it is no good. */
  ownerOf(token: string): string {
    const known = this.#access.get(token);
    if (known === undefined) throw new ApiError('invalid_auth');
    if (known.isRevoked) throw new ApiError('token_revoked');
    return known.owner;
  }

  revoke(owner: string): void {
    for (const one of this.#access.values()) if (one.owner === owner) one.isRevoked = true;
  }
}
