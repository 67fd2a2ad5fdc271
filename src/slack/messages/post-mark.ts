/** The `event_type` of our messages' metadata. */
export const METADATA_EVENT_TYPE = 'docs_agent_post';

/** The id of the first block of every message we post; identifies the call that posted it. */
export const callBlockId = (callId: string) => `call:${callId}`;

/** The parts of a message in Slack that show whose post it is. */
export interface FoundMessage {
  readonly ts?: string;
  readonly metadata?: {
    readonly event_type?: string;
    readonly event_payload?: { readonly call_id?: unknown };
  };
  readonly blocks?: readonly { readonly block_id?: string }[];
}

/** Recognised by its metadata, or by the id of its first block. */
export function isPostOf(message: FoundMessage, callId: string): boolean {
  if (message.metadata?.event_type === METADATA_EVENT_TYPE) {
    if (message.metadata.event_payload?.call_id === callId) return true;
  }
  return message.blocks?.some((block) => block.block_id === callBlockId(callId)) ?? false;
}
