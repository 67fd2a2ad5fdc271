import { variable } from './bolt.ts';

// Posts messages by plain `fetch` as fast as it can, so many at once, keeps nothing, and never ends.

const atOnce = Number(variable('AT_ONCE'));
const url = `${variable('SLACK_API_URL')}chat.postMessage`;
const headers = {
  authorization: `Bearer ${variable('SLACK_BOT_TOKEN')}`,
  'content-type': 'application/json',
};
const text = 'Pull request: <https://github.com/acme/docs/pull/1|View pull request>';
let posted = 0;

for (let poster = 0; poster < atOnce; poster += 1) void postOnAndOn();
console.log(JSON.stringify({ event: 'started', port: 0 }));

async function postOnAndOn(): Promise<never> {
  for (;;) {
    posted += 1;
    const message = {
      channel: `C${posted % 1_000}`,
      thread_ts: `1700000000.${String(posted % 2_000).padStart(6, '0')}`,
      text,
      blocks: [{ type: 'section', block_id: `call:${posted}`, text: { type: 'mrkdwn', text } }],
      metadata: { event_type: 'docs_agent_post', event_payload: { call_id: String(posted) } },
    };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(message) });
    await response.json();
  }
}
