import { describe, expect, test } from 'vitest';
import { tooLateView } from '../../../src/slack/views/thread/announcement.ts';
import { whisperView } from '../../../src/slack/views/thread/requester.ts';
import { aJob, working } from './a-job.ts';

describe('what one person is told in the thread', () => {
  test('a reply was edited after it was sent (F3)', () => {
    const whisper = { kind: 'edited_after_sending', messageTs: '1.000100' } as const;
    const { text, blocks } = whisperView(whisper, aJob());
    expect(text).toMatchInlineSnapshot(
      `"✏️ *Edited after it was sent* · the agent still has your earlier text. *Send the correction* sends the reply as it reads now."`,
    );
    expect(blocks[1]).toMatchInlineSnapshot(`
      {
        "elements": [
          {
            "action_id": "send_correction",
            "text": {
              "emoji": true,
              "text": "Send the correction",
              "type": "plain_text",
            },
            "type": "button",
            "value": "{"jobId":"job-1","messageTs":"1.000100"}",
          },
        ],
        "type": "actions",
      }
    `);
  });

  test('a button was pressed too late', () => {
    expect(tooLateView('Run again', aJob({ stage: working })).text).toMatchInlineSnapshot(
      `"⌛ *Too late for “Run again”*: it was pressed before, or the job has gone on since. Now: ⚙️ *Working*"`,
    );
  });
});
