import { z } from 'zod';
import { reject } from './kinds.ts';

/** The agent API's address, without a slash at its end. */
export function agentUrl() {
  return z.string('is missing').transform((value, context) => {
    const url = plainUrl(value);
    return url === null ? reject(context, NOT_PLAIN) : url.href.replace(/\/+$/, '');
  });
}

/** The address of a Slack Web API, with the slash at its end that Slack's client needs. */
export function slackUrl() {
  return z.string().transform((value, context) => {
    const url = plainUrl(value);
    return url === null ? reject(context, NOT_PLAIN) : `${url.href.replace(/\/+$/, '')}/`;
  });
}

export function databaseUrl() {
  return z
    .string()
    .refine(
      (value) => ['postgres:', 'postgresql:'].includes(URL.parse(value)?.protocol ?? ''),
      'must be an address that starts with postgres:// or postgresql://',
    );
}

const NOT_PLAIN = 'must be an http(s) address without user name, password, ? and #';

function plainUrl(value: string): URL | null {
  const url = URL.parse(value);
  const plain =
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === '' &&
    !/[?#]/.test(value);
  return plain ? url : null;
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
