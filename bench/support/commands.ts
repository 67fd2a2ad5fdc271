import { commandBody, signedHeaders } from '../../test/support/slack-requests.ts';
import type { LoadRequest } from './load.ts';
import { slackApp } from './processes.ts';

const PEOPLE = 500;
const CHANNELS = 100;

/** Makes signed `/docs-agent` commands, each new: other people, channels and words than the one before. */
export function commandMaker(): () => LoadRequest {
  let made = 0;
  return () => {
    made += 1;
    const request = commandBody(slackApp.teamId, {
      channelId: `C${made % CHANNELS}`,
      userId: `U${made % PEOPLE}`,
      text: `Say in the quickstart how the webhooks are signed, with example ${made}`,
      triggerId: `${made}.7000000000.abcdef`,
    });
    return { headers: signedHeaders(request, slackApp.signingSecret), body: request.body };
  };
}
