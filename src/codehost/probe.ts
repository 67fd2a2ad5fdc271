import { z } from 'zod';
import { systemClock } from '../engine/runtime/clock.ts';
import { type Authorization, decodeAnswer, type HostClient, UnreadableError } from './client/host-client.ts';
import { type CodeHostSettings, type Connected, connect } from './create-code-hosts.ts';
import { id, listOf, shortText } from './decode.ts';
import type { GithubApp } from './github/app.ts';
import { account } from './github/github.ts';

export type HostProbe = Readonly<
  | { kind: 'token'; endsAtMs: number | null }
  | { kind: 'app'; name: string | null; installations: readonly Installation[] }
  | { kind: 'rejected' }
  /** `reason`: one word. */
  | { kind: 'no_answer'; reason: string }
>;

export type Installation = Readonly<{
  account: string | null;
  /** By GitHub's own names: `pull_requests`. */
  permissions: readonly string[];
  isSuspended: boolean;
  /** The first hundred. */
  repositories: readonly string[];
  repositoryCount: number;
}>;

const INSTALLATIONS_MAX = 10;
const PAGE = 100;

const described = z.object({ name: shortText });
const installations = listOf(
  z.object({
    ...{ id, account },
    permissions: z.record(z.string(), z.unknown()).catch({}),
    suspended_at: shortText,
  }),
);
const repositories = z.object({
  total_count: z.int().catch(0),
  repositories: listOf(z.object({ full_name: z.string() })),
});

/** Asks who the credentials belong to, and what they open; about no pull request. Never throws. */
export async function probeCodeHost(settings: CodeHostSettings, timeoutMs: number): Promise<HostProbe> {
  const connected = connect(settings, systemClock, timeoutMs);
  try {
    return await systemClock.abortAfter(timeoutMs, (signal) =>
      connected.app === null
        ? probeToken(connected, signal)
        : probeApp(connected.app, connected.client, signal),
    );
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    return error.failure.kind === 'bad_credentials'
      ? { kind: 'rejected' }
      : { kind: 'no_answer', reason: error.message };
  } finally {
    void connected.client.close();
  }
}

async function probeToken(
  { dialect, client, credentials }: Connected,
  signal: AbortSignal,
): Promise<HostProbe> {
  const authorization = await credentials.authorize('', signal);
  const answer = await client.get({ base: dialect.tokenPath, authorization, signal });
  return { kind: 'token', endsAtMs: dialect.tokenEndsAtMs(answer) };
}

async function probeApp(app: GithubApp, client: HostClient, signal: AbortSignal): Promise<HostProbe> {
  const ask = async <T>(base: string, authorization: Authorization, schema: z.ZodType<T>) =>
    decodeAnswer(await client.get({ base, authorization, signal }), schema);
  const asApp = await app.asApp();
  const { name } = await ask('/app', asApp, described);
  const found = await ask(`/app/installations?per_page=${INSTALLATIONS_MAX}`, asApp, installations);
  const asked = found.map(async ({ id, account, permissions, suspended_at: suspendedAt }) => {
    const installation = {
      account: account?.login ?? null,
      permissions: Object.keys(permissions),
      isSuspended: suspendedAt !== null,
    };
    if (installation.isSuspended) return { ...installation, repositories: [], repositoryCount: 0 };
    const authorization = await app.asInstallation(id);
    const seen = await ask(`/installation/repositories?per_page=${PAGE}`, authorization, repositories);
    const names = seen.repositories.map(({ full_name: fullName }) => fullName);
    return { ...installation, repositories: names, repositoryCount: seen.total_count };
  });
  return { kind: 'app', name, installations: await Promise.all(asked) };
}
