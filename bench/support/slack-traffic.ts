import { commandBody, eventBody, type SlackBody, signedHeaders } from '../../test/support/slack-requests.ts';
import { watchedThreadTs } from '../../test/support/watched-jobs.ts';
import type { LoadRequest } from './load.ts';
import { slackApp } from './processes.ts';

/** So many commands are of different people each. */
export const PEOPLE = 500;
/** So that nobody asks twice in the same channel, which the program would look at. */
const CHANNELS = 101;

/** Commands come from so many different channels. */
export const channelIds = Array.from(
  { length: CHANNELS },
  (_, index) => `C${String(index).padStart(3, '0')}`,
);

/** Signed `/docs-agent` commands, each new: other people, channels and words than the one before. */
export function commands(): () => LoadRequest {
  let made = 0;
  return () => {
    made += 1;
    return signed(
      commandBody(slackApp.teamId, {
        channelId: channelIds[made % CHANNELS] ?? '',
        userId: `U${made % PEOPLE}`,
        text: `Say in the quickstart how the webhooks are signed, with example ${made}`,
        triggerId: `${made}.7000000000.abcdef`,
      }),
    );
  };
}

/** Signed events of replies in the threads of so many watched jobs, which have their turns. */
export function replies(threads: number): () => LoadRequest {
  let made = 0;
  const beganAtSeconds = Math.floor(Date.now() / 1000);
  return () => {
    made += 1;
    const seconds = beganAtSeconds + Math.floor(made / 1_000_000);
    const messageTs = `${seconds}.${String(made % 1_000_000).padStart(6, '0')}`;
    return reply(made, { channelId: 'C1', threadTs: watchedThreadTs(made % threads), messageTs });
  };
}

/** The signed event of a reply. No two have the same number. */
export function reply(
  number: number,
  place: { readonly channelId: string; readonly threadTs: string; readonly messageTs: string },
): LoadRequest {
  return signed(
    eventBody(slackApp.teamId, {
      eventId: `Ev${number}`,
      event: {
        type: 'message',
        channel: place.channelId,
        channel_type: 'channel',
        user: `U${number % PEOPLE}`,
        text: `Please name the header in the example, too; this is remark ${number}`,
        ts: place.messageTs,
        thread_ts: place.threadTs,
        client_msg_id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
      },
    }),
  );
}

export function signed(request: SlackBody): LoadRequest {
  return { headers: signedHeaders(request, slackApp.signingSecret), body: request.body };
}
