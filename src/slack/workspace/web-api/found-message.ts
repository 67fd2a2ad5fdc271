import { callIdOfBlock, METADATA_EVENT_TYPE } from '../../protocol/ids.ts';

/** What of a message in Slack tells whose post it is. */
export interface FoundMessage {
  readonly ts?: string;
  readonly metadata?: {
    readonly event_type?: string;
    readonly event_payload?: { readonly call_id?: unknown };
  };
  readonly blocks?: readonly { readonly block_id?: string }[];
}

/** It is known by its metadata, or by the id of its first block. */
export function isPostOf(message: FoundMessage, callId: string): boolean {
  if (message.metadata?.event_type === METADATA_EVENT_TYPE) {
    if (message.metadata.event_payload?.call_id === callId) return true;
  }
  return message.blocks?.some((block) => callIdOfBlock(block.block_id ?? '') === callId) ?? false;
}
