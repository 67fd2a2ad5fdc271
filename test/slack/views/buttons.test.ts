import { describe, expect, test } from 'vitest';
import {
  type Button,
  buttons,
  decodeButton,
  encodeButton,
  type JobButton,
  jobButtons,
} from '../../../src/slack/views/parts/buttons.ts';
import { fc } from '../../support/properties.ts';

describe('a button', () => {
  test('says which job and call it is about', () => {
    expect(decodeButton(encodeButton({ jobId: 'j', callId: 'c' }))).toEqual({ jobId: 'j', callId: 'c' });
    expect(decodeButton(encodeButton({ jobId: 'j' }))).toEqual({ jobId: 'j' });
  });

  test.each(['', '{', 'null', '[]', '{}', '{"jobId":1}', '{"jobId":""}', '{"jobId":"j","callId":2}'])(
    'of somebody else, with value %j, is not ours',
    (value) => expect(decodeButton(value)).toBeNull(),
  );

  test('never crashes the program', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (value) => void decodeButton(value)));
  });
});

/** Of version 0.1.0, by the ids of presses, with the values that they had in messages. */
const released: readonly [id: string, value: string, event?: string][] = [
  ['run_again', '{"jobId":"j","creates":1}', 'start_again_pressed'],
  ['run_again', '{"jobId":"j","creates":1,"callId":"c"}', 'start_again_pressed'],
  ['start_again', '{"jobId":"j","callId":"c"}', 'start_again_pressed'],
  ['try_again', '{"jobId":"j","cards":1}', 'try_again_pressed'],
  ['send_again', '{"jobId":"j","callId":"c"}', 'resend_pressed'],
  ['retry', '{"jobId":"j","callId":"c"}', 'resend_pressed'],
  ['send_now', '{"jobId":"j","message":1}', 'send_now_pressed'],
  ['send_correction', '{"jobId":"j","messageTs":"5.000000"}', 'correction_pressed'],
  ['keep_watching', '{"jobId":"j","question":1}', 'keep_watching_pressed'],
  ['stop_watching', '{"jobId":"j","question":1}', 'stop_watching_pressed'],
  ['resume_watching', '{"jobId":"j","question":1}', 'resume_watching_pressed'],
  ['start_another', '{"jobId":"j"}'],
  ['follow_up', '{"jobId":"j"}'],
  ['show_job', '{"jobId":"j"}'],
  ['list_newer', '{"to":"newer","at":1,"id":"j"}'],
  ['list_older', '{"to":"older","at":1,"id":"j"}'],
  ['choose_messages', '{"channelId":"C1","threadTs":"5.000000","messageTs":"6.000000"}'],
  ['start_job', 'home'],
  ['open_settings', 'home'],
  ['view_pull_request', ''],
  ['open_thread', ''],
];

test.each(released)(
  'a press of %s with %s, which version 0.1.0 posted, is still taken',
  (id, value, type) => {
    const hasId = ({ id: current, formerIds = [] }: Button) => [current, ...formerIds].includes(id);
    expect(Object.values<Button>(buttons).filter(hasId)).toHaveLength(1);
    if (type === undefined) return;
    const target = decodeButton(value);
    const press = { userId: 'U1', responseUrl: null, pressedTs: undefined };
    const button = Object.values<JobButton>(jobButtons).find(hasId);
    expect(target && button?.eventOf(target, press)).toMatchObject({ type });
  },
);
