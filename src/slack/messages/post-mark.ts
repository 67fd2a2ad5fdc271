export const METADATA_EVENT_TYPE = 'docs_agent_post';

export const callBlockId = (callId: string) => `call:${callId}`;

export interface FoundMessage {
  readonly ts?: string;
  readonly metadata?: {
    readonly event_type?: string;
    readonly event_payload?: { readonly call_id?: unknown };
  };
  readonly blocks?: readonly { readonly block_id?: string }[];
}

export function isPostOf(message: FoundMessage, callId: string): boolean {
  const { metadata, blocks } = message;
  const isMarked = metadata?.event_type === METADATA_EVENT_TYPE && metadata.event_payload?.call_id === callId;
  return isMarked || (blocks?.some((block) => block.block_id === callBlockId(callId)) ?? false);
}
