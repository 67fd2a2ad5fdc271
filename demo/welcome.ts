import { fileURLToPath } from 'node:url';
import { type DemoConfig, hookKey } from './config-file.ts';
import { demoWords } from './words.ts';

const docsAgent = fileURLToPath(new URL('../src/cli/cli.ts', import.meta.url));

interface RunningDemo {
  /** The settings, for `docs-agent` in another terminal. */
  readonly envFile: string;
  /** Where webhooks are taken. */
  readonly port: number;
  readonly config: Pick<DemoConfig, 'recipeAtMs' | 'digestAtMs'>;
}

/** Said before anything listens. */
export const openToTheNetwork =
  '\n  While the demo runs, others in your network can open its page, too: type nothing secret.';

/**
 * Where to look, and what to type first.
 * @param repo somebody's own repository, and the copy of it; absent: the demo's
 */
export function welcome(url: string, repo: string | undefined, copy: string | null): string {
  const own = `
  The agent works in a copy of ${repo}, and its branches stay there. To take one over:

    git fetch ${copy} docs-agent/…
`;
  return `
  The demo runs. Open ${url} and, in #docs, type:

    /docs-agent Add a quickstart

  The pull request comes within seconds. Open its link: there are its diff, and Merge. Then try:
    Mention npx as well   a reply in its thread steers the agent: it becomes a second commit
    /docs-agent Which plan has which rate limit?   the agent answers, and changes nothing
    /docs-agent project=handbook Explain unclear rules   the connection breaks off: nobody can know what became of it
  Ctrl-C ends the demo and deletes everything. There is more to try: npm run demo -- --more
${copy === null ? '' : own}`;
}

/** All the rest. */
export function moreToTry({ envFile, port, config }: RunningDemo): string {
  const words = demoWords.map(({ word, effect }) => `    ${word.padEnd(8)} ${effect}`);
  return `
  These words in a request or reply change what happens:

${words.join('\n')}

  A pull request that nobody opens is merged by carol within about two minutes. Notices go to #docs-changes.
  "project=handbook …" works on another project, whose agent API has no more than three calls: it can't be stopped,
  gives no answers, and of an unclear call nobody can know whether it arrived. The bot is not in #random: a request
  there is kept, and asks for the bot to be invited (which this page cannot do).
  The page leaves out some of what Slack shows: what is chosen in a menu or ticked at first, and menus of channels.
  It listens on all interfaces of this machine, without a password.

  Jobs start from elsewhere, too:

    a mark      Write a message in #docs, point at it, open the emoji, and type memo: a draft appears in its thread.
    a recipe    Type /docs-agent run weekly-review, or /docs-agent run release-notes.
    a schedule  At ${timeOfDay(config.recipeAtMs)}, weekly-review starts by itself.
    a webhook   In another terminal, as a release pipeline would. A draft appears in #docs:

${webhook(port)}

  /docs-agent report says what became of all that; at ${timeOfDay(config.digestAtMs)}, a digest says the same in #docs-changes.
  Workflows and agent sessions are not in the demo: the local Slack has neither.

  What docs-agent doctor says of it, in another terminal (or report, or audit):

    ${process.execPath} --env-file=${envFile} ${docsAgent} doctor
`;
}

/** Each time it is pasted, another release. */
function webhook(port: number): string {
  return `    body='{"values": {"version": "2.1"}, "text": "Search is faster."}' id=demo-$RANDOM at=$(date +%s)
    curl http://127.0.0.1:${port}/hooks/release-notes -d "$body" -H "webhook-id: $id" -H "webhook-timestamp: $at" \\
      -H "webhook-signature: v1,$(printf %s "$id.$at.$body" | openssl dgst -sha256 -hmac ${hookKey} -binary | base64)"`;
}

function timeOfDay(ms: number): string {
  return new Date(ms).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}
