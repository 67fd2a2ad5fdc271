import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const LIFE_MS = 600_000;
const NONCE_BYTES = 24;
/** The prefix binds it to this host and to https: no other host of the domain can set it. */
const COOKIE = '__Host-docs-agent-install';
/** `Lax`: it is sent along when Slack redirects back, and not with requests from other pages. */
const ATTRIBUTES = 'Secure; HttpOnly; SameSite=Lax; Path=/';

/** The state that goes to Slack's page and must come back once, in the same browser. */
export function newState(secret: string, nowMs: number): string {
  const content = `${nowMs}.${randomBytes(NONCE_BYTES).toString('base64url')}`;
  return `${content}.${signature(secret, content)}`;
}

export function stateCookie(state: string): string {
  return `${COOKIE}=${state}; ${ATTRIBUTES}; Max-Age=${LIFE_MS / 1000}`;
}

export const clearedCookie = `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0`;

/** Whether we made the state for this browser recently. The store knows whether it was used. */
export function isOwnState(state: string, request: IncomingMessage, secret: string, nowMs: number): boolean {
  if (!(request.headers.cookie ?? '').split(/; */).includes(`${COOKIE}=${state}`)) return false;
  const [madeAt = '', nonce = '', given = ''] = state.split('.');
  const [ours, theirs] = [signature(secret, `${madeAt}.${nonce}`), given].map((text) => Buffer.from(text));
  if (!ours || !theirs || ours.length !== theirs.length || !timingSafeEqual(ours, theirs)) return false;
  const ageMs = nowMs - Number(madeAt);
  return ageMs >= 0 && ageMs <= LIFE_MS;
}

function signature(secret: string, content: string): string {
  return createHmac('sha256', secret).update(`install/${content}`).digest('base64url');
}
