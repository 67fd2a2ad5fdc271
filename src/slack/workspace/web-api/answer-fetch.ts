const TIMEOUT_MS = 10_000;
const SLACKS_HOST = 'hooks.slack.com';

/**
 * `fetch` for a `response_url`. The address came in with a request, and waits in the store or in a form: a message
 * goes to Slack's own server only, or to that of another Slack, and is not sent on from there.
 * @param apiUrl null is Slack's own
 */
export function answerFetch(apiUrl: string | null): typeof globalThis.fetch {
  return async (address, init) => {
    const url = URL.parse(String(address));
    if (url === null || !isSlacks(url, apiUrl)) throw new Error("the response_url is not Slack's");
    return fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  };
}

function isSlacks(url: URL, apiUrl: string | null): boolean {
  if (url.username !== '' || url.password !== '') return false;
  if (apiUrl === null) return url.protocol === 'https:' && url.host === SLACKS_HOST;
  const { protocol, hostname } = new URL(apiUrl);
  const isSafe = url.protocol === 'https:' || url.protocol === protocol;
  // The Slack for governments has its addresses at hooks.slack-gov.com.
  return isSafe && [hostname, `hooks.${hostname}`].includes(url.hostname);
}
