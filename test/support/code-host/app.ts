import { type KeyObject, verify } from 'node:crypto';
import { repository, timeOf, user } from '../../../demo/code-host/github/objects.ts';
import {
  NOT_FOUND,
  ok,
  page,
  type Reply,
  type StandInRepositories,
} from '../../../demo/code-host/repositories.ts';

export interface StandInAppOptions {
  readonly id: number;
  /** Of the key with which the App signs. */
  readonly publicKey: KeyObject;
  readonly permissions?: Readonly<Record<string, 'read'>>;
}

/** GitHub allows as much. */
const LONGEST_TOKEN_S = 600;

/** A GitHub App at the stand-in: who signs as the App, where it is installed, and the tokens of its installations. */
export class StandInApp {
  readonly #options: StandInAppOptions;
  /** The owners of repositories, by the ids of the installations. */
  readonly #installations = new Map<number, string>();
  #tokens = new Map<string, number>();
  #made = 0;

  constructor(options: StandInAppOptions) {
    this.#options = options;
  }

  /** @param owner of all repositories that it may then see */
  install(owner: string): void {
    this.#installations.set(this.#options.id * 100 + this.#installations.size, owner);
  }

  uninstall(owner: string): void {
    for (const [id, installed] of this.#installations) {
      if (installed === owner) this.#installations.delete(id);
    }
    this.revokeTokens();
  }

  /** All tokens of installations are unknown from now on; new ones can be had. */
  revokeTokens(): void {
    this.#tokens = new Map();
  }

  /** Whose repositories a token may see; null: it is no such token. */
  ownerOf(authorization: string): string | null {
    const id = this.#tokens.get(authorization.replace(/^bearer /i, ''));
    return id === undefined ? null : (this.#installations.get(id) ?? null);
  }

  /** Answers what only an App asks, or an installation of its repositories. */
  answer(
    repositories: StandInRepositories,
    apiUrl: string,
    request: {
      readonly method: string;
      readonly path: string;
      readonly query: URLSearchParams;
      readonly authorization: string;
    },
  ): Reply | null {
    const { method, path, query, authorization } = request;
    const owner = this.ownerOf(authorization);
    if (path === '/installation/repositories' && owner !== null) {
      const all = repositories.of(owner).map(({ name, id }) => repository(apiUrl, name, id));
      return ok({ total_count: all.length, repositories: page(all, query) });
    }
    if (!this.#isSigned(authorization)) return null;
    if (path === '/app') return ok(this.#describe(apiUrl));
    const installations = [...this.#installations].map(([id, account]) =>
      this.#installation(apiUrl, id, account),
    );
    if (path === '/app/installations') return ok(page(installations, query));
    const [, asked] = /^\/repos\/([^/]+)\/[^/]+\/installation$/.exec(path) ?? [];
    if (asked !== undefined) {
      const found = installations.find(({ account }) => account.login.toLowerCase() === asked.toLowerCase());
      return found === undefined ? NOT_FOUND : ok(found);
    }
    const [, id] = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(path) ?? [];
    if (method !== 'POST' || !this.#installations.has(Number(id))) return NOT_FOUND;
    this.#made += 1;
    const token = `ghs_${id}_${this.#made}`;
    this.#tokens.set(token, Number(id));
    const body = { token, expires_at: timeOf(Date.now() + 3_600_000), permissions: this.#permissions() };
    return { status: 201, body: { ...body, repository_selection: 'all' } };
  }

  #permissions() {
    return this.#options.permissions ?? { metadata: 'read', pull_requests: 'read', checks: 'read' };
  }

  #describe(apiUrl: string): object {
    const url = `${apiUrl}/apps/docs-agent`;
    return {
      ...{ id: this.#options.id, slug: 'docs-agent', node_id: 'A_1', owner: user(apiUrl, 'acme') },
      ...{ name: 'docs-agent', description: null, external_url: url, html_url: url, events: [] },
      ...{ created_at: timeOf(0), updated_at: timeOf(0), permissions: this.#permissions() },
      installations_count: this.#installations.size,
    };
  }

  #installation(apiUrl: string, id: number, owner: string) {
    const url = `${apiUrl}/app/installations/${id}`;
    const account = user(apiUrl, owner) as { readonly login: string };
    return {
      ...{ id, app_id: this.#options.id, app_slug: 'docs-agent', target_id: 1, target_type: 'Organization' },
      ...{ account, repository_selection: 'all', single_file_name: null, events: [] },
      ...{ access_tokens_url: url, repositories_url: url, html_url: url, permissions: this.#permissions() },
      ...{ created_at: timeOf(0), updated_at: timeOf(0), suspended_by: null, suspended_at: null },
    };
  }

  #isSigned(authorization: string): boolean {
    const [, head = '', claims = '', signature = ''] =
      /^bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/i.exec(authorization) ?? [];
    const signed = Buffer.from(signature, 'base64url');
    if (!verify('sha256', Buffer.from(`${head}.${claims}`), this.#options.publicKey, signed)) return false;
    const { iss, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    return String(iss) === String(this.#options.id) && exp - iat <= LONGEST_TOKEN_S;
  }
}
