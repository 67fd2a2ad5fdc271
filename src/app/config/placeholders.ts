/** Secrets of the documentation, and of our messages. Everybody knows them, so none may be used. */
export const exampleSecrets = {
  botToken: 'xoxb-12-34-abcd',
  appToken: 'xapp-1-A12-34-abcd',
  hex: '0123456789abcdef0123456789abcdef',
  stateSecret: 'a-long-random-text',
  encryptionKey: 'MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=',
  agentApiKey: 'the-key-of-the-agent-api',
} as const;

export const NOT_YOURS = 'is an example, not a secret of yours: put your own in its place';

const EXAMPLES: ReadonlySet<string> = new Set(Object.values(exampleSecrets));
/** `xoxb-your-token`, `changeme` and the like, as people leave them where their own belongs. */
const STAND_IN =
  /^(?:[a-z]{2,8}[-_])?(?:\.{3}$|<.*>$|your[-_]|change[-_]?me|replace[-_]?(?:me|with)|example|x{4,})/i;

export function isPlaceholder(secret: string): boolean {
  return EXAMPLES.has(secret) || STAND_IN.test(secret);
}
