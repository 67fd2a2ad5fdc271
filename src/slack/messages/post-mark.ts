import { fieldsOf, listOf } from './blocks.ts';
import type { MessageEvent } from './message-event.ts';

export const METADATA_EVENT_TYPE = 'docs_agent_post';

export const callBlockId = (callId: string) => `call:${callId}`;

export function isPostOf({ metadata, blocks }: Partial<MessageEvent>, callId: string): boolean {
  const { event_type: type, event_payload: payload } = fieldsOf(metadata);
  const isMarked = type === METADATA_EVENT_TYPE && fieldsOf(payload).call_id === callId;
  return isMarked || listOf(blocks).some((block) => fieldsOf(block).block_id === callBlockId(callId));
}
