import bolt, { type types } from '@slack/bolt';

/** A name of the request that no other has, and what there is to keep of it. */
type Keep = (name: string, content: string) => void;

/** What is done about a request besides. */
interface Work {
  readonly command: (command: bolt.SlashCommand) => void;
  readonly message: (message: types.GenericMessageEvent) => void;
}

/**
 * A bare Bolt app in HTTP mode that acknowledges; `keep`, if given, is called before. `work` is begun afterwards.
 * Says on its standard output which port it listens on.
 */
export async function runBolt(keep: Keep | null, work?: Work): Promise<void> {
  const app = new bolt.App({
    token: variable('SLACK_BOT_TOKEN'),
    signingSecret: variable('SLACK_SIGNING_SECRET'),
    clientOptions: { slackApiUrl: variable('SLACK_API_URL') },
    // Otherwise Bolt acknowledges events before their listeners run.
    processBeforeResponse: keep !== null,
  });
  app.command('/docs-agent', async ({ ack, body }) => {
    keep?.(body.trigger_id, body.text);
    await ack();
    work?.command(body);
  });
  app.event('message', async ({ event, body }) => {
    keep?.(body.event_id, JSON.stringify(event));
    if (event.subtype === undefined) work?.message(event);
  });
  const server = await app.start({ port: 0, host: '127.0.0.1' });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens on no port');
  console.log(JSON.stringify({ event: 'started', port: address.port }));
}

export function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`set ${name}`);
  return value;
}
